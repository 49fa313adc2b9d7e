import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

const HOSTS_FILE = '/etc/hosts';
const RESOLVER_FILE = '/etc/resolv.conf';
const DNS_TIMEOUT_MS = 1_000;
/** As many as Kubernetes allows a pod (`MaxDNSSearchPaths`). */
const MAX_SEARCH_DOMAINS = 32;

export interface ResolverSource {
  readonly hostsFile?: string;
  /** With the search domains. */
  readonly resolverFile?: string;
  /** DNS servers, with their ports; undefined: those of the machine. */
  readonly servers?: readonly string[];
}

/**
 * Returns a function that returns the addresses of a host by the hosts file and DNS; none if it is not found. DNS is queried directly:
 * `getaddrinfo` would occupy the threads that write files while a server does not answer. The search domains, which direct queries do
 * not apply, are applied as `getaddrinfo` does (resolv.conf(5)), except that a name with too few dots gets the addresses of every name
 * that it may stand for.
 */
export function addressFinder({
  hostsFile = HOSTS_FILE,
  resolverFile = RESOLVER_FILE,
  servers,
}: ResolverSource = {}): (host: string) => Promise<readonly string[]> {
  return async (host) => {
    const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 1 });
    if (servers) resolver.setServers(servers);
    const query = async (names: readonly string[]): Promise<readonly string[]> => {
      const none = () => [];
      const queries = names.flatMap((name) => [resolver.resolve4(name), resolver.resolve6(name)]);
      return (await Promise.all(queries.map((found) => found.catch(none)))).flat();
    };
    const [hosts, search] = await Promise.all([
      textOf(hostsFile).then((text) => addressesIn(text, host)),
      textOf(resolverFile).then(searchIn),
    ]);
    const searched = search.domains.map((domain) => `${host}.${domain}`);
    const hasEnoughDots = host.split('.').length > search.minDots;
    const found = await query(hasEnoughDots ? [host] : [host, ...searched]);
    const more = hasEnoughDots && found.length === 0 ? await query(searched) : [];
    return [...hosts, ...found, ...more];
  };
}

/** `addressFinder` with the files and servers of the machine. */
export const findAddresses = addressFinder();

const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');

/** Returns the addresses that a hosts file gives a host. */
export const addressesIn = (hostsFile: string, host: string): string[] =>
  hostsFile.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return address && names.some((name) => name.toLowerCase() === host) ? [address] : [];
  });

interface Search {
  readonly domains: readonly string[];
  /** A name with fewer dots is looked up in the domains first. */
  readonly minDots: number;
}

/** Returns the search domains of a resolv.conf. The last list counts. */
export function searchIn(resolverFile: string): Search {
  let domains: readonly string[] = [];
  let minDots = 1;
  for (const line of resolverFile.split('\n')) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/);
    if (keyword === 'search' || keyword === 'domain') domains = values;
    if (keyword !== 'options') continue;
    for (const option of values) minDots = Number(/^ndots:(\d+)$/.exec(option)?.[1] ?? minDots);
  }
  const named = domains.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== '');
  return { domains: named.slice(0, MAX_SEARCH_DOMAINS), minDots };
}
