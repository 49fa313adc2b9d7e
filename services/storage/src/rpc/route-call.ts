import { GatewayError } from '@gateway/errors';
import type { LinkCall, LinkHandler } from '@gateway/link';
import { BATCH_PATH, MESSAGE_BATCH_PATH } from './batch-call';
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
  readonly createBatch: LinkHandler;
  readonly listBatches: LinkHandler;
  readonly getBatch: LinkHandler;
  readonly cancelBatch: LinkHandler;
  readonly createMessageBatch: LinkHandler;
  readonly listMessageBatches: LinkHandler;
  readonly getMessageBatch: LinkHandler;
  readonly cancelMessageBatch: LinkHandler;
  readonly getMessageBatchResults: LinkHandler;
  readonly deleteMessageBatch: LinkHandler;
}

/** Returns the handler of a call. Edge has checked the path, so an unknown one comes from a newer edge. */
export function routeCall(routes: Routes): LinkHandler {
  const collections: Handlers = {
    'GET /v1/files': routes.listFiles,
    'POST /v1/files': routes.createFile,
    'GET /v1/batches': routes.listBatches,
    'POST /v1/batches': routes.createBatch,
    'GET /v1/messages/batches': routes.listMessageBatches,
    'POST /v1/messages/batches': routes.createMessageBatch,
  };
  const items: readonly (readonly [RegExp, Handlers])[] = [
    [
      RESPONSE_PATH,
      {
        'GET ': routes.getResponse,
        'GET /input_items': routes.listInputItems,
        'POST /cancel': routes.cancelResponse,
        'POST /delete': routes.deleteResponse,
      },
    ],
    [
      FILE_PATH,
      { 'GET ': routes.getFile, 'GET /content': routes.getFileContent, 'POST /delete': routes.deleteFile },
    ],
    [BATCH_PATH, { 'GET ': routes.getBatch, 'POST /cancel': routes.cancelBatch }],
    [
      MESSAGE_BATCH_PATH,
      {
        'GET ': routes.getMessageBatch,
        'GET /results': routes.getMessageBatchResults,
        'POST /cancel': routes.cancelMessageBatch,
        'POST /delete': routes.deleteMessageBatch,
      },
    ],
  ];
  const handlerOf = ({ method, path }: LinkCall): LinkHandler | undefined => {
    const ofCollection = collections[`${method} ${path}`];
    if (ofCollection) return ofCollection;
    for (const [pattern, handlers] of items) {
      const match = pattern.exec(path);
      if (match) return handlers[`${method} ${match[2] ?? ''}`];
    }
    return undefined;
  };
  return (context, call) => {
    const handler = handlerOf(call);
    return handler ? handler(context, call) : Promise.reject(new GatewayError('not_found'));
  };
}

type Handlers = Readonly<Record<string, LinkHandler>>;
