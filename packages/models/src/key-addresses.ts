import { BlockList, isIP, isIPv6 } from 'node:net';

/** The bits of an address. */
const BITS = { 4: 32, 6: 128 } as const;

/** Whether the text is an IP address or a CIDR range. IPv4 in IPv6 is not: such clients are seen by their IPv4 address. */
export function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0 || address.includes('%') || /^::ffff:/i.test(address)) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= BITS[family as 4 | 6]);
}

/** Empty: every address. */
export interface AddressBoundKey {
  readonly allowedIps?: readonly string[] | undefined;
}

const lists = new WeakMap<readonly string[], BlockList>();

/** @param address in canonical form; empty, or no address: only keys without ranges allow it */
export function allowsAddress({ allowedIps = [] }: AddressBoundKey, address: string): boolean {
  if (allowedIps.length === 0) return true;
  let list = lists.get(allowedIps);
  if (!list) {
    list = toBlockList(allowedIps);
    lists.set(allowedIps, list);
  }
  return isIP(address) !== 0 && list.check(address, familyOf(address));
}

function toBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = familyOf(address);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
