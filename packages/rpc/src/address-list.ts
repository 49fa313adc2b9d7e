import { type ChannelOptions, experimental } from '@grpc/grpc-js';

const SCHEME = 'addresses';
const IPV4 = /^\d+\.\d+\.\d+\.\d+:\d+$/;
/** Interval for retrying an unresolvable name; the channel itself retries only when it has no instance left. */
const RETRY_MS = 5_000;

type Listener = experimental.ResolverListener;
type Resolution = Parameters<Listener>[0];

/**
 * Returns a gRPC target for a list of addresses that may contain host names. gRPC's own schemes accept one host name, or a
 * list of IP addresses of one family.
 * @param addresses `host:port` each
 */
export function targetOf(addresses: readonly string[]): string {
  const [first = ''] = addresses;
  // A name may resolve to several instances; gRPC's DNS resolver returns all of them.
  if (addresses.length < 2) return first;
  if (addresses.every((address) => IPV4.test(address))) return `ipv4:${addresses.join(',')}`;
  experimental.registerResolver(SCHEME, AddressList);
  return `${SCHEME}:${addresses.join(',')}`;
}

/** Resolves each address separately and reports the union of the addresses that could be resolved. */
class AddressList implements experimental.Resolver {
  readonly #resolvers: readonly experimental.Resolver[];
  readonly #resolutions = new Map<number, Resolution>();
  readonly #retries = new Map<number, NodeJS.Timeout>();

  constructor(target: experimental.GrpcUri, listener: Listener, options: ChannelOptions) {
    const addresses = target.path.split(',');
    this.#resolvers = addresses.map((path, at) => {
      const resolved: Listener = (resolution, attributes, serviceConfig, note) => {
        this.#resolutions.set(at, resolution);
        if (!resolution.ok) this.#retryLater(at);
        const known = [...this.#resolutions.values()];
        const found = known.flatMap((one) => (one.ok ? one.value : []));
        if (found.length > 0) return listener({ ok: true, value: found }, attributes, serviceConfig, note);
        // A name that can't be resolved is not an error while another one can.
        return known.length < addresses.length || listener(resolution, attributes, serviceConfig, note);
      };
      return experimental.createResolver({ scheme: 'dns', path }, resolved, options);
    });
  }

  static getDefaultAuthority({ path }: experimental.GrpcUri): string {
    return path.split(',', 1)[0] ?? '';
  }

  updateResolution(): void {
    for (const resolver of this.#resolvers) resolver.updateResolution();
  }

  destroy(): void {
    this.#resolutions.clear();
    for (const timer of this.#retries.values()) clearTimeout(timer);
    this.#retries.clear();
    for (const resolver of this.#resolvers) resolver.destroy();
  }

  #retryLater(at: number): void {
    clearTimeout(this.#retries.get(at));
    const timer = setTimeout(() => this.#resolvers[at]?.updateResolution(), RETRY_MS);
    this.#retries.set(at, timer.unref());
  }
}
