import { type ApiService, type EndpointName, findEndpoint } from '@gateway/endpoints';
import { GatewayError } from '@gateway/errors';
import type { LinkHandler } from './server-call';

/**
 * Returns the handler of a service's calls, given one for each of its endpoints. Edge has checked the path, so an unknown one comes
 * from a newer edge.
 */
export function routeCall<Service extends ApiService>(
  routes: Readonly<Record<EndpointName<Service>, LinkHandler>>,
): LinkHandler {
  const handlers = new Map<string, LinkHandler>(Object.entries(routes));
  return (context, call) => {
    const handler = handlers.get(findEndpoint(call.method, call.path)?.name ?? '');
    return handler ? handler(context, call) : Promise.reject(new GatewayError('not_found'));
  };
}
