import { isIP, isIPv6, SocketAddress } from 'node:net';

/**
 * The one way to write an address: IPv6 as RFC 5952 has it and without a zone, IPv4 that was mapped into IPv6
 * as IPv4. Undefined for what is no address.
 */
export function canonicalAddress(text: string): string | undefined {
  const family = isIP(text);
  if (family === 0) return undefined;
  if (family === 4) return text;
  const [bare = ''] = text.split('%', 1);
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' });
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}

/** What to count a client by: an IPv4 address, but the /64 of an IPv6 one, because one host has all of that. */
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
