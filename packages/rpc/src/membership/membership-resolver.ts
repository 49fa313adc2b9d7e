import * as grpc from '@grpc/grpc-js';
import { experimental, status } from '@grpc/grpc-js';
import type { Membership } from './membership';

const SCHEME = 'members';

type Listener = experimental.ResolverListener;

const targets = new Map<string, Membership>();

/** Returns a gRPC target that follows the membership. */
export function targetOf(entries: readonly string[], membership: Membership): string {
  experimental.registerResolver(SCHEME, MembershipResolver);
  const path = entries.join(',');
  targets.set(path, membership);
  return `${SCHEME}:${path}`;
}

/** Reports the instances of a membership to a channel whenever they change. */
class MembershipResolver implements experimental.Resolver {
  readonly #membership: Membership | undefined;
  readonly #listener: Listener;
  #stop: (() => void) | undefined;

  constructor(target: experimental.GrpcUri, listener: Listener) {
    this.#membership = targets.get(target.path);
    this.#listener = listener;
  }

  static getDefaultAuthority({ path }: experimental.GrpcUri): string {
    return path.split(',', 1)[0] ?? '';
  }

  /** Called when the channel is first used, and when it has lost a connection: the membership is current anyway. */
  updateResolution(): void {
    // The channel does not expect a report within this call.
    this.#stop ??= this.#membership?.watch((membership) => process.nextTick(() => this.#report(membership)));
  }

  destroy(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #report({ instances, reported, failure }: Membership): void {
    if (!this.#stop) return;
    if (instances.length > 0) {
      this.#listener({ ok: true, value: instances.map(endpointOf) }, {}, null, '');
    } else if (reported) {
      const details = `no address found: ${failure?.message}`;
      const error = { code: status.UNAVAILABLE, details, metadata: new grpc.Metadata() };
      this.#listener({ ok: false, error }, {}, null, '');
    }
  }
}

function endpointOf({ address }: { address: string }) {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  return { addresses: [{ host, port: Number(address.slice(colon + 1)) }] };
}
