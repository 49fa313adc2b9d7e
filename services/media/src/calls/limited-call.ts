import type { CredentialLimiter, Route, TargetHealth, UpstreamFailure } from '@gateway/upstream';

export interface CallCounters {
  readonly health: Pick<TargetHealth, 'enter' | 'leave'>;
  readonly limiter: Pick<CredentialLimiter, 'waitMs' | 'enter' | 'leave'>;
}

/** Images and videos do not count against a limit of tokens. */
const NO_TOKENS = () => 0;

/** Returns the failure of a call that the limits of its credential do not allow now; undefined: they do. */
export function limitFailure(
  { limiter }: Pick<CallCounters, 'limiter'>,
  route: Route,
): UpstreamFailure | undefined {
  const waitMs = limiter.waitMs(route, NO_TOKENS);
  if (waitMs === 0) return undefined;
  return { kind: 'status', status: 429, retryAfterSeconds: Math.ceil(waitMs / 1_000) };
}

/** Makes a call that counts as in flight until it ends. */
export async function countedCall<T>(
  { health, limiter }: CallCounters,
  route: Route,
  call: () => Promise<T>,
): Promise<T> {
  health.enter(route);
  limiter.enter(route, NO_TOKENS);
  try {
    return await call();
  } finally {
    health.leave(route);
    limiter.leave(route);
  }
}
