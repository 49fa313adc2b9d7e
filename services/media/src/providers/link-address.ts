import { isIP } from 'node:net';

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
