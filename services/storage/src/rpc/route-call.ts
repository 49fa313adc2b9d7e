import { GatewayError } from '@gateway/errors';
import type { LinkCall, LinkHandler } from '@gateway/link';
import { FILE_PATH } from './file-call';
import { RESPONSE_PATH } from './response-call';

export interface Routes {
  readonly getResponse: LinkHandler;
  readonly listInputItems: LinkHandler;
  readonly cancelResponse: LinkHandler;
  readonly deleteResponse: LinkHandler;
  readonly createFile: LinkHandler;
  readonly listFiles: LinkHandler;
  readonly getFile: LinkHandler;
  readonly getFileContent: LinkHandler;
  readonly deleteFile: LinkHandler;
}

/** Returns the handler of a call. Edge has checked the path, so an unknown one comes from a newer edge. */
export function routeCall(routes: Routes): LinkHandler {
  const ofResponses: Handlers = {
    'GET ': routes.getResponse,
    'GET /input_items': routes.listInputItems,
    'POST /cancel': routes.cancelResponse,
    'POST /delete': routes.deleteResponse,
  };
  const ofFiles: Handlers = {
    'GET ': routes.getFile,
    'GET /content': routes.getFileContent,
    'POST /delete': routes.deleteFile,
  };
  const allFiles: Handlers = { GET: routes.listFiles, POST: routes.createFile };
  const handlerOf = ({ method, path }: LinkCall): LinkHandler | undefined => {
    if (path === '/v1/files') return allFiles[method];
    const response = RESPONSE_PATH.exec(path);
    if (response) return ofResponses[`${method} ${response[2] ?? ''}`];
    const file = FILE_PATH.exec(path);
    return file ? ofFiles[`${method} ${file[2] ?? ''}`] : undefined;
  };
  return (context, call) => {
    const handler = handlerOf(call);
    return handler ? handler(context, call) : Promise.reject(new GatewayError('not_found'));
  };
}

type Handlers = Readonly<Record<string, LinkHandler>>;
