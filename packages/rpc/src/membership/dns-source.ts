import { promises as dns } from 'node:dns';
import { type Instance, type InstanceSource, instanceAt } from './membership';

/** With its jitter and a query, a change is seen within 2 s of the DNS server's answer. */
const POLL_MS = 1_000;
const POLL_JITTER = 0.2;
const QUERY_TIMEOUT_MS = 1_000;
const QUERY_TRIES = 2;
const SRV_SCHEME = 'srv://';
/** The server has answered that there are no such records. */
const NO_RECORDS = new Set<string>(['ENOTFOUND', 'ENODATA']);

/** The queries of a process: records, or what the system's resolver finds. */
export interface NameQueries {
  resolve4(name: string): Promise<string[]>;
  resolve6(name: string): Promise<string[]>;
  resolveSrv(name: string): Promise<{ name: string; port: number; priority: number }[]>;
  lookup(name: string): Promise<{ address: string; family: number }[]>;
}

/** @param servers `address[:port]` each; empty: those of the system */
export function nameQueries(servers: readonly string[]): NameQueries {
  const resolver = new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  let lastLookup: Promise<unknown> = Promise.resolve();
  return {
    resolve4: (name) => resolver.resolve4(name),
    resolve6: (name) => resolver.resolve6(name),
    resolveSrv: (name) => resolver.resolveSrv(name),
    lookup(name) {
      // A lookup blocks a thread of the pool that files need too, for many seconds when no DNS server answers.
      const next = lastLookup.then(() => dns.lookup(name, { all: true }));
      lastLookup = next.catch(() => {});
      return next;
    },
  };
}

/**
 * Returns the source of one entry: `host:port`, by A or, without any, AAAA records, or `srv://name` by SRV records. It asks
 * again every second: neither a cache nor a TTL delays a change, except those of the DNS server.
 */
export function dnsSource(entry: string, queries: NameQueries): InstanceSource {
  const resolve = entry.startsWith(SRV_SCHEME)
    ? srvResolver(entry.slice(SRV_SCHEME.length), queries)
    : hostResolver(entry, queries);
  return (report) => {
    let stopped = false;
    let timer: NodeJS.Timeout | undefined;
    const poll = async () => {
      let answer: Instance[] = [];
      let failure: Error | undefined;
      try {
        answer = await resolve();
      } catch (error) {
        failure = error as Error;
      }
      if (stopped) return;
      report(answer, failure);
      timer = setTimeout(poll, POLL_MS * (1 + POLL_JITTER * (2 * Math.random() - 1))).unref();
    };
    void poll();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  };
}

function hostResolver(entry: string, queries: NameQueries): () => Promise<Instance[]> {
  const colon = entry.lastIndexOf(':');
  const host = entry.slice(0, colon);
  const port = entry.slice(colon + 1);
  // A name of /etc/hosts, or one that needs the search domains of /etc/resolv.conf.
  let isFoundByLookup = host === 'localhost';
  let isKnown = false;
  const find = async () => {
    if (!isFoundByLookup) {
      const records = await recordsOf(host, queries).catch((error) => {
        if (isKnown) throw error;
        return [];
      });
      if (records.length > 0) return records;
    }
    const found = await queries.lookup(host);
    isFoundByLookup ||= !isKnown;
    const family = Math.min(...found.map((address) => address.family));
    return found.filter((address) => address.family === family).map(({ address }) => address);
  };
  return async () => {
    const addresses = await find();
    isKnown = true;
    return addresses.map((address) => instanceAt(address, port));
  };
}

function srvResolver(name: string, queries: NameQueries): () => Promise<Instance[]> {
  return async () => {
    const records = await queries.resolveSrv(name);
    const priority = Math.min(...records.map((record) => record.priority));
    const preferred = records.filter((record) => record.priority === priority);
    const found = await Promise.all(
      preferred.map(async ({ name: host, port }) =>
        (await recordsOf(host, queries)).map((address) => instanceAt(address, port)),
      ),
    );
    return found.flat();
  };
}

/** Returns addresses of one family only, because a process with addresses of both families would count twice. */
async function recordsOf(host: string, queries: NameQueries): Promise<string[]> {
  const noneIfAbsent = (error: NodeJS.ErrnoException): string[] => {
    if (NO_RECORDS.has(`${error.code}`)) return [];
    throw error;
  };
  const v4 = await queries.resolve4(host).catch(noneIfAbsent);
  return v4.length > 0 ? v4 : queries.resolve6(host).catch(noneIfAbsent);
}
