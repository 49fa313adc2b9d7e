import { isIP } from 'node:net';

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

/** Whether our key may be sent there, wherever the link came from. */
export function isSameHost(link: URL, base: URL): boolean {
  return link.protocol === base.protocol && link.username === '' && link.host === base.host;
}

/**
 * Whether a result may be fetched from there, without any key: it is stored at a service whose name is not known beforehand.
 * Nothing in our own network has a public name with a certificate.
 */
export function isResultAddress(link: URL, base: URL): boolean {
  if (link.host === base.host && link.protocol === base.protocol) return true;
  const { hostname } = link;
  const named = isIP(hostname) === 0 && !hostname.startsWith('[') && /\.[a-z]{2,}$/.test(hostname);
  return link.protocol === 'https:' && named && !hostname.endsWith('.internal') && link.port === '';
}
