import { GatewayError } from '@gateway/errors';
import type { ProviderConnection } from './provider-connection';
import { isPublicHost } from './public-link';

/** Hosts that are looked up for one call. */
const MAX_HOSTS = 20;

interface LinkRoute {
  readonly provider: { readonly connection?: ProviderConnection };
}

/** Returns the addresses of a host; none if it is not found. */
export type FindAddresses = (host: string) => Promise<readonly string[]>;

/**
 * Throws for links whose hosts resolve to private addresses, if one of the providers may fetch from a private network. A host that
 * can't be resolved is accepted: its owner can answer the provider's query differently from ours anyway, so that only a provider
 * that takes no links is safe from it.
 * @param routes of which one gets the links
 * @param links that `refusalOfLink` accepts
 * @throws GatewayError `invalid_request`
 */
export async function checkLinkHosts(
  routes: readonly LinkRoute[],
  links: readonly string[],
  find: FindAddresses,
): Promise<void> {
  if (!routes.some(({ provider }) => provider.connection?.links === 'resolve')) return;
  const hosts = [...new Set(links.map((link) => new URL(link).hostname.replace(/\.$/, '')))];
  if (hosts.length > MAX_HOSTS)
    throw refused(`links of more than ${MAX_HOSTS} hosts are not supported by this model`);
  const found = await Promise.all(hosts.map(find));
  if (!found.flat().every(isPublicHost)) throw refused('the link must point to a public host');
}

const refused = (detail: string) => new GatewayError('invalid_request', { detail });

/** Throws for a call with links if the provider takes none. @throws GatewayError `invalid_request` */
export function refuseLinks(
  connection: ProviderConnection | undefined,
  links: readonly string[] | undefined,
): void {
  if (links?.length && connection?.links === 'refuse')
    throw refused('links are not supported by this model: send the data itself');
}
