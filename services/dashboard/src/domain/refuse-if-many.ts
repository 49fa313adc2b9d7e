import { GatewayError } from '@gateway/errors';

/** Throws `too_many_attempts` when there is something to wait for. */
export function refuseIfMany(waitSeconds: number | undefined): void {
  if (waitSeconds !== undefined)
    throw new GatewayError('too_many_attempts', { retryAfterSeconds: waitSeconds });
}
