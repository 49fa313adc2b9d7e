import type { Target } from './target';

/** How the requests of a provider are sent. Milliseconds; an absent timeout is the usual one. */
export interface ProviderConnection {
  readonly connectMs?: number | undefined;
  readonly firstByteMs?: number | undefined;
  readonly idleMs?: number | undefined;
  /** URL of a forward proxy. */
  readonly proxy?: string | undefined;
  /** How links in requests are treated, which the provider would fetch: their hosts are resolved first, or they are refused; undefined: passed on. */
  readonly links?: 'resolve' | 'refuse' | undefined;
}

interface Timeouts {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
}

/** Returns the usual timeouts, replaced by those of the provider. */
export const timeoutsOfProvider = <T extends Timeouts>(
  usual: T,
  { connectMs, firstByteMs, idleMs }: ProviderConnection = {},
): T => ({
  ...usual,
  connectMs: connectMs ?? usual.connectMs,
  firstByteMs: firstByteMs ?? usual.firstByteMs,
  idleMs: idleMs ?? usual.idleMs,
});

/** Returns the usual timeouts, replaced by those of the provider, and these by those of the target. */
export function timeoutsOfTarget<T extends Timeouts>(
  target: Target,
  connection: ProviderConnection | undefined,
  usual: T,
): T {
  const timeouts = timeoutsOfProvider(usual, connection);
  return {
    ...timeouts,
    connectMs: target.connectTimeoutMs || timeouts.connectMs,
    firstByteMs: target.firstByteTimeoutMs || timeouts.firstByteMs,
    idleMs: target.idleTimeoutMs || timeouts.idleMs,
  };
}
