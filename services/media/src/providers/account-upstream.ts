import type { ProviderAccess } from '@gateway/catalog-client';
import type { Upstream } from '../domain/upstream';
import { isSameHost } from './link-address';

/** Sends requests as the account's provider is configured: with its proxy and, to its own host, with its headers. */
export function accountUpstream(
  { baseUrl, headers: own, connection }: Pick<ProviderAccess, 'baseUrl' | 'headers' | 'connection'>,
  upstream: Upstream,
): Upstream {
  const base = new URL(baseUrl);
  const proxy = connection?.proxy;
  if (proxy === undefined && Object.keys(own).length === 0) return upstream;
  return {
    request(request) {
      const headers = isSameHost(request.url, base) ? { ...own, ...request.headers } : request.headers;
      return upstream.request({ ...request, headers, proxy });
    },
  };
}
