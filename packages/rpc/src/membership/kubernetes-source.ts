import { readFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Instance, type InstanceSource, instanceAt } from './membership';

export const KUBERNETES_SCHEME = 'k8s://';

/** How a pod reaches the API of its cluster. */
export interface KubernetesApi {
  /** `https://host:port` */
  readonly origin: string;
  /** Read for each request, because it is rotated. */
  token(): Promise<string>;
  ca(): Promise<string | undefined>;
}

interface EndpointSlice {
  readonly metadata: { readonly name: string };
  readonly addressType: string;
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null;
  readonly endpoints?:
    | readonly {
        readonly addresses: readonly string[];
        /** Not ready: it has not started, fails its readiness probe, or is terminating. Unknown counts as ready. */
        readonly conditions?: { readonly ready?: boolean | null };
        readonly zone?: string;
      }[]
    | null;
}

interface SliceList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly EndpointSlice[];
}

interface WatchEvent {
  readonly type: string;
  readonly object: EndpointSlice;
}

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const LIST_TIMEOUT_MS = 5_000;
/** Bounds how long a connection that is lost without notice goes unnoticed: the list is read again after each watch. */
const WATCH_SECONDS = 30;
/** Between two lists. With its jitter, a change is still seen within 2 s. */
const RETRY_MS = 500;
/** Doubled after each failure in a row up to this, because every process asks an API server that is overloaded. */
const MAX_RETRY_MS = 8_000;
/** An EndpointSlice has at most 1,000 endpoints. */
const MAX_EVENT_CHARACTERS = 8 * 1024 * 1024;

/** @throws Error outside of a pod */
export function podApi(env: NodeJS.ProcessEnv): KubernetesApi {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) throw new Error(`${KUBERNETES_SCHEME} addresses need a pod with a service account`);
  return {
    origin: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    token: () => readFile(`${ACCOUNT}/token`, 'utf8'),
    ca: () => readFile(`${ACCOUNT}/ca.crt`, 'utf8'),
  };
}

/** Returns the source of `k8s://namespace/service:port`: the ready endpoints of its EndpointSlices, by a list and a watch. */
export function kubernetesSource(entry: string, api: KubernetesApi): InstanceSource {
  const { hostname: namespace, pathname } = new URL(entry);
  const [service = '', port = ''] = pathname.slice(1).split(':');
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3D${service}`;
  return (report) => {
    const stop = new AbortController();
    const slices = new Map<string, EndpointSlice>();
    const reportSlices = () => report(instancesOf([...slices.values()], port));
    const listAndWatch = async () => {
      const list = JSON.parse(await textOf(await get(api, path, stop.signal, LIST_TIMEOUT_MS))) as SliceList;
      slices.clear();
      for (const slice of list.items) slices.set(slice.metadata.name, slice);
      reportSlices();
      const query = `&watch=1&timeoutSeconds=${WATCH_SECONDS}&resourceVersion=${list.metadata.resourceVersion}`;
      const events = await get(api, path + query, stop.signal, 2 * WATCH_SECONDS * 1_000);
      retryMs = RETRY_MS;
      for await (const { type, object } of eventsOf(events)) {
        // The list is too old: it is read again.
        if (type === 'ERROR') return;
        if (type === 'DELETED') slices.delete(object.metadata.name);
        else slices.set(object.metadata.name, object);
        reportSlices();
      }
    };
    let retryMs = RETRY_MS;
    const run = async () => {
      while (!stop.signal.aborted) {
        let delayMs = RETRY_MS;
        try {
          await listAndWatch();
        } catch (error) {
          if (stop.signal.aborted) return;
          report([], error as Error);
          delayMs = retryMs;
          retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
        }
        await sleep(delayMs * (0.5 + Math.random()), undefined, { ref: false });
      }
    };
    void run();
    return () => stop.abort();
  };
}

/** IPv4 unless there is only IPv6, because a pod with both has an endpoint in a slice of each. */
function instancesOf(slices: readonly EndpointSlice[], port: string): Instance[] {
  const ofType = (type: string) => slices.filter(({ addressType }) => addressType === type);
  const preferred = ofType('IPv4').length > 0 ? ofType('IPv4') : ofType('IPv6');
  return preferred.flatMap(({ ports, endpoints }) => {
    const number = /^\d+$/.test(port) ? Number(port) : ports?.find(({ name }) => name === port)?.port;
    if (!number) return [];
    return (endpoints ?? [])
      .filter(({ conditions }) => conditions?.ready ?? true)
      .flatMap(({ addresses: [address], zone }) => (address ? [instanceAt(address, number, zone)] : []));
  });
}

/** @throws Error for a status other than 200 */
async function get(
  api: KubernetesApi,
  path: string,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<http.IncomingMessage> {
  const [token, ca] = await Promise.all([api.token(), api.ca()]);
  const { request } = api.origin.startsWith('https:') ? https : http;
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token.trim()}`, accept: 'application/json' };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    request(api.origin + path, { headers, signal: limit, ...(ca && { ca }) }, resolve)
      .on('error', reject)
      .end();
  });
  if (response.statusCode === 200) return response;
  response.destroy();
  throw new Error(`the Kubernetes API answered ${response.statusCode}`);
}

async function textOf(response: http.IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
}

async function* eventsOf(response: http.IncomingMessage): AsyncGenerator<WatchEvent> {
  let rest = '';
  for await (const chunk of response.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_EVENT_CHARACTERS) throw new Error('an event of the Kubernetes API is too long');
    for (const line of lines) if (line !== '') yield JSON.parse(line) as WatchEvent;
  }
}
