import { BlockList, isIP } from 'node:net';

const MAX_LINK_CHARS = 8_192;
/** Links that a lenient parser would correct are refused: the provider's parser may correct them to another host. */
const STRICT_LINK = /^https:\/\/[^/\s\\\p{Cc}\p{Cs}][^\s\\\p{Cc}\p{Cs}]*$/iu;
/** Names that only private networks resolve (RFC 6761, RFC 6762, RFC 8375, ICANN's name collisions, cloud metadata). */
const PRIVATE_DOMAINS = new Set([
  ...['consul', 'corp', 'home', 'internal', 'intranet', 'invalid', 'lan', 'local', 'localdomain'],
  ...['localhost', 'mail', 'onion', 'pod', 'private', 'svc', 'test', 'example', 'arpa'],
]);

/** Ranges that the public internet does not route (IANA's special-purpose registries). */
const PRIVATE_IPV4 = blockList('ipv4', [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
]);
/** `::/8` contains the loopback and IPv4 in all its mapped forms; 6to4, NAT64 and Teredo addresses contain IPv4 ones. */
const PRIVATE_IPV6 = blockList('ipv6', [
  ...['::/8', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32', '2002::/16'],
  ...['3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]);

/**
 * Returns why a provider must not fetch the link; undefined for a public https link. The name is not resolved: the provider
 * does that, in its own network (`checkLinkHosts`).
 */
export function refusalOfLink(link: string): string | undefined {
  if (link.length > MAX_LINK_CHARS) return `the link is longer than ${MAX_LINK_CHARS} characters`;
  if (!/^https:/i.test(link)) return 'must be an https link or a data: URL';
  if (!STRICT_LINK.test(link) || !URL.canParse(link)) return 'is not a valid https link';
  const { username, password, hostname } = new URL(link);
  if (username !== '' || password !== '' || /^https:\/\/[^/?#]*@/i.test(link)) {
    return 'the link must not contain credentials';
  }
  return isPublicHost(hostname) ? undefined : 'the link must point to a public host';
}

/** Returns whether a host is on the public internet by its address or name. @param hostname as in `URL`, with addresses in their canonical notation */
export function isPublicHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  const version = isIP(bare);
  if (version === 4) return !PRIVATE_IPV4.check(bare, 'ipv4');
  if (version === 6) return !PRIVATE_IPV6.check(bare, 'ipv6');
  const labels = bare.replace(/\.$/, '').split('.');
  return labels.length > 1 && !labels.includes('') && !PRIVATE_DOMAINS.has(labels.at(-1)!);
}

/** One list per family, because Node also matches an IPv4 address, as a mapped one, against IPv6 ranges. */
function blockList(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
