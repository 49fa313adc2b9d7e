import type { CredentialLimiter, Route, TargetHealth, UpstreamFailure } from '@gateway/upstream';

export interface CallCounters {
  readonly health: Pick<TargetHealth, 'enter' | 'leave'>;
  readonly limiter: Pick<CredentialLimiter, 'refusal' | 'enter' | 'leave'>;
}

/** Calls of this service do not count against a limit of tokens. */
const NO_TOKENS = () => 0;

/** Returns the failure of a call that the limits of its credential do not allow now; undefined: they do. */
export const limitFailure = (
  { limiter }: Pick<CallCounters, 'limiter'>,
  route: Route,
): UpstreamFailure | undefined => limiter.refusal(route, NO_TOKENS);

/** Makes a call that counts as in flight until it ends, or until the promise settles that `ended` returns for its result. */
export async function countedCall<T>(
  { health, limiter }: CallCounters,
  route: Route,
  call: () => Promise<T>,
  ended: (result: T) => Promise<unknown> | undefined = () => undefined,
): Promise<T> {
  const leave = () => {
    health.leave(route);
    limiter.leave(route);
  };
  health.enter(route);
  limiter.enter(route, NO_TOKENS);
  let isOpen = false;
  try {
    const result = await call();
    const end = ended(result);
    isOpen = end !== undefined;
    end?.then(leave, leave);
    return result;
  } finally {
    if (!isOpen) leave();
  }
}
