import { isIP, isIPv6, SocketAddress } from 'node:net';

/**
 * Returns the canonical form of an address: IPv6 per RFC 5952 without a zone, and IPv4-mapped IPv6 as IPv4. Undefined if
 * the text is not an IP address.
 */
export function canonicalAddress(text: string): string | undefined {
  const family = isIP(text);
  if (family === 0) return undefined;
  if (family === 4) return text;
  const [bare = ''] = text.split('%', 1);
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' });
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}

/** Returns the key by which clients are counted: the IPv4 address, or the /64 of an IPv6 address, which one host owns. */
export function clientNetwork(text: string): string {
  const address = canonicalAddress(text) ?? text;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = groupsOf(head);
  const missing = tail === undefined ? 0 : 8 - groups.length - groupsOf(tail).length;
  const all = [...groups, ...Array<string>(missing).fill('0'), ...groupsOf(tail ?? '')];
  return `${all.slice(0, 4).join(':')}::/64`;
}

const groupsOf = (part: string): string[] => (part === '' ? [] : part.split(':'));
