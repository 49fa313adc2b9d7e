import { BlockList, isIP } from 'node:net';
import { z } from 'zod';

/** Settings of services that store the addresses of providers or connect to them. */
export const localAddressSettings = {
  /** Whether providers may have loopback and metadata addresses, where services of the machine itself answer. */
  PROVIDER_LOCAL_ADDRESSES: z.enum(['refuse', 'allow']).default('refuse'),
};

/**
 * Loopback and link-local addresses, also by NAT64, and those at which clouds serve metadata or credentials: of AWS and Google by
 * IPv6, Alibaba Cloud (ECS metadata) and Azure (wire server). A check of an IPv6 address that maps an IPv4 one finds it too.
 */
const LOCAL = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
] as const) {
  LOCAL.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 127],
  ['fe80::', 10],
  ['fd00:ec2::', 32],
  ['fd20:ce::', 32],
  ['64:ff9b::7f00:0', 104],
  ['64:ff9b::a9fe:0', 112],
] as const) {
  LOCAL.addSubnet(network, prefix, 'ipv6');
}

/** Names that resolve to these addresses by standard (RFC 6761) or on every machine of a cloud. */
const LOCAL_NAME = /^(?:.+\.)?localhost$|^metadata(?:\.google\.internal|\.goog)?$/;

/** Returns which hosts providers may not have; undefined if all are allowed. */
export const refusedHosts = ({
  PROVIDER_LOCAL_ADDRESSES: local,
}: z.output<z.ZodObject<typeof localAddressSettings>>): ((host: string) => boolean) | undefined =>
  local === 'refuse' ? isLocalHost : undefined;

/**
 * Returns whether a host is a loopback or metadata address, or a name of one. Other names may still resolve to one: that is
 * known when a connection is made.
 * @param host an address, with or without brackets, or a name
 */
export function isLocalHost(host: string): boolean {
  const bare = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  const version = isIP(bare);
  if (version !== 0) return LOCAL.check(bare, version === 4 ? 'ipv4' : 'ipv6');
  return LOCAL_NAME.test(bare);
}
