import type { CredentialLimiter, Route, TargetHealth, UpstreamFailure } from '@gateway/upstream';

export interface CallCounters {
  readonly health: Pick<TargetHealth, 'enter' | 'leave'>;
  readonly limiter: Pick<CredentialLimiter, 'refusal' | 'enter' | 'leave'>;
}

/** Images and videos do not count against a limit of tokens. */
const NO_TOKENS = () => 0;

/** Returns the failure of a call that the limits of its credential do not allow now; undefined: they do. */
export const limitFailure = (
  { limiter }: Pick<CallCounters, 'limiter'>,
  route: Route,
): UpstreamFailure | undefined => limiter.refusal(route, NO_TOKENS);

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
