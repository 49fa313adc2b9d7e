import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

const HOSTS_FILE = '/etc/hosts';
const DNS_TIMEOUT_MS = 1_000;

/**
 * Returns the addresses of a host by the hosts file and DNS; none if it is not found. DNS is queried directly: `getaddrinfo` would occupy the threads that write files while
 * a server does not answer.
 */
export async function findAddresses(host: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 1 });
  const none = () => [];
  const found = await Promise.all([
    readFile(HOSTS_FILE, 'utf8').then((text) => addressesIn(text, host), none),
    resolver.resolve4(host).catch(none),
    resolver.resolve6(host).catch(none),
  ]);
  return found.flat();
}

/** Returns the addresses that a hosts file gives a host. */
export const addressesIn = (hostsFile: string, host: string): string[] =>
  hostsFile.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return address && names.some((name) => name.toLowerCase() === host) ? [address] : [];
  });
