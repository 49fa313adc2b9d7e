import { GatewayError } from '@gateway/errors';

/** Throws `too_many_attempts` if there is a time to wait. */
export function throwIfLimited(waitSeconds: number | undefined): void {
  if (waitSeconds !== undefined)
    throw new GatewayError('too_many_attempts', { retryAfterSeconds: waitSeconds });
}
