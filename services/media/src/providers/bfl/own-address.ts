import { isSameHost } from '../link-address';

/** Domain of Black Forest Labs, whose regions have their own hosts (`api.eu1.bfl.ai`). */
const SITE = '.bfl.ai';

/**
 * Whether a polling link of the provider may be followed with our key: on the same host, or another one of its domain. Other hosts
 * with a common suffix may belong to other organizations (`x.co.uk`).
 */
export function isOwnAddress(link: URL, base: URL): boolean {
  if (isSameHost(link, base)) return true;
  const isOfSite = (url: URL) => url.protocol === 'https:' && url.port === '' && url.hostname.endsWith(SITE);
  return link.username === '' && isOfSite(link) && isOfSite(base);
}
