import { GatewayError } from '@gateway/proto';
import type { LinkHandler } from '@gateway/runtime';

/** Which handler answers a call; edge has checked the path before, so an unknown one is a newer edge's. */
export function routeCall(): LinkHandler {
  return () => Promise.reject(new GatewayError('not_found'));
}
