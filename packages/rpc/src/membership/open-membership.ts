import { isIP } from 'node:net';
import { dnsSource, type NameQueries, nameQueries } from './dns-source';
import { KUBERNETES_SCHEME, kubernetesSource, podApi } from './kubernetes-source';
import { type InstanceSource, Membership } from './membership';

export interface Discovery {
  /** The zone of this process, whose instances are preferred if their zones are known. */
  readonly zone?: string | undefined;
  /** `address[:port]` each; absent or empty: those of the system. */
  readonly dnsServers?: readonly string[];
}

const memberships = new Map<string, Membership>();
const queriesOf = new Map<string, NameQueries>();

/** Whether the entry is `host:port` with an IP literal. */
function isFixed(entry: string): boolean {
  const host = entry.slice(0, entry.lastIndexOf(':'));
  return isIP(host.startsWith('[') ? host.slice(1, -1) : host) > 0;
}

/**
 * Returns the membership of a peer. All clients of the process that have the same list share it, and its queries.
 * @param entries `host:port`, `srv://name` or `k8s://namespace/service:port` each
 */
export function openMembership(entries: readonly string[], { dnsServers = [] }: Discovery): Membership {
  const key = `${entries};${dnsServers}`;
  const membership = memberships.get(key) ?? new Membership(sourcesOf(entries, dnsServers));
  memberships.set(key, membership);
  return membership;
}

function sourcesOf(entries: readonly string[], dnsServers: readonly string[]): InstanceSource[] {
  const servers = `${dnsServers}`;
  const queries = queriesOf.get(servers) ?? nameQueries(dnsServers);
  queriesOf.set(servers, queries);
  return entries.map((entry) => {
    if (entry.startsWith(KUBERNETES_SCHEME)) return kubernetesSource(entry, podApi(process.env));
    return isFixed(entry) ? fixedSource(entry) : dnsSource(entry, queries);
  });
}

const fixedSource =
  (address: string): InstanceSource =>
  (report) => {
    report([{ address }]);
    return () => {};
  };
