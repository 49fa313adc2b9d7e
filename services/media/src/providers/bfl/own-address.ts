import { isIP } from 'node:net';

/**
 * Whether a link that the provider gave for looking at a task may be followed with our key: on the same host, or
 * another of its site, since its regions have hosts of their own (`api.eu1.bfl.ai`).
 */
export function isOwnAddress(link: URL, base: URL): boolean {
  if (link.protocol !== base.protocol || link.username !== '') return false;
  if (link.host === base.host) return true;
  if (isIP(base.hostname) !== 0 || link.port !== '' || base.port !== '') return false;
  return link.hostname.endsWith(`.${siteOf(base.hostname)}`);
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

/** Of a host of at least two labels the last two: `bfl.ai`. */
function siteOf(hostname: string): string {
  return hostname.split('.').slice(-2).join('.');
}
