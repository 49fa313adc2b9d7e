import { isIP } from 'node:net';

export interface IpNetwork {
  readonly address: string;
  readonly prefixBits: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Of an address or a CIDR; undefined for what is neither, and for a network that holds everybody. */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0) return undefined;
  const maxBits = version === 4 ? 32 : 128;
  const prefixBits = bits === undefined ? maxBits : Number(bits);
  if (prefixBits < 1 || prefixBits > maxBits) return undefined;
  return { address, prefixBits, family: version === 4 ? 'ipv4' : 'ipv6' };
}
