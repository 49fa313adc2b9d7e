import { GatewayError } from '@gateway/errors';
import type { LinkHandler } from '@gateway/link';
import { RESPONSE_PATH } from './response-call';

export interface Routes {
  readonly getResponse: LinkHandler;
  readonly listInputItems: LinkHandler;
  readonly cancelResponse: LinkHandler;
  readonly deleteResponse: LinkHandler;
}

/** Returns the handler of a call. Edge has checked the path, so an unknown one comes from a newer edge. */
export function routeCall(routes: Routes): LinkHandler {
  const handlers: Readonly<Record<string, LinkHandler>> = {
    'GET ': routes.getResponse,
    'GET /input_items': routes.listInputItems,
    'POST /cancel': routes.cancelResponse,
    'POST /delete': routes.deleteResponse,
  };
  return (context, call) => {
    const match = RESPONSE_PATH.exec(call.path);
    const handler = match && handlers[`${call.method} ${match[2] ?? ''}`];
    return handler ? handler(context, call) : Promise.reject(new GatewayError('not_found'));
  };
}
