import { GatewayError } from '@gateway/proto';
import type { LinkHandler } from '@gateway/runtime';

export interface Routes {
  readonly createImage: LinkHandler;
}

const IMAGE_PATHS = new Set(['/v1/images', '/v1/images/generations', '/v1/images/edits']);

/** Which handler answers a call; edge has checked the path before, so an unknown one is a newer edge's. */
export function routeCall(routes: Routes): LinkHandler {
  return (context, call) => {
    const { method, path } = call;
    if (method === 'POST' && IMAGE_PATHS.has(path)) return routes.createImage(context, call);
    return Promise.reject(new GatewayError('not_found'));
  };
}
