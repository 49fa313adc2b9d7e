import { isIP } from 'node:net';

/** Black Forest Labs' own, whose regions have hosts of their own (`api.eu1.bfl.ai`). */
const SITE = '.bfl.ai';

/**
 * Whether a link that the provider gave for looking at a task may be followed with our key: on the same host, or another
 * of its site. What else has the end of its name in common with it may be anybody's (`x.co.uk`).
 */
export function isOwnAddress(link: URL, base: URL): boolean {
  if (isSameHost(link, base)) return true;
  const isOfSite = (url: URL) => url.protocol === 'https:' && url.port === '' && url.hostname.endsWith(SITE);
  return link.username === '' && isOfSite(link) && isOfSite(base);
}

/** Whether our key may be shown there, wherever the link came from. */
export function isSameHost(link: URL, base: URL): boolean {
  return link.protocol === base.protocol && link.username === '' && link.host === base.host;
}

/**
 * Whether a result may be fetched from there, without any key: it lies with a storage service, whose name is not
 * known beforehand. Nothing in our own network has a public name and a certificate for it.
 */
export function isResultAddress(link: URL, base: URL): boolean {
  if (link.host === base.host && link.protocol === base.protocol) return true;
  const { hostname } = link;
  const named = isIP(hostname) === 0 && !hostname.startsWith('[') && /\.[a-z]{2,}$/.test(hostname);
  return link.protocol === 'https:' && named && !hostname.endsWith('.internal') && link.port === '';
}
