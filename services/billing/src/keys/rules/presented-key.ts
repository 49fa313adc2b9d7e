import { GatewayError } from '@gateway/errors';

/** The key that a presented value belongs to. */
export interface PresentedKey {
  readonly live: boolean;
  readonly accountActive: boolean;
  readonly expiresAtMs: number | null;
  /** When this value expires, if a rotation has replaced it. */
  readonly retiresAtMs: number | null;
}

/**
 * Returns until when the key is valid, 0 without an end. Throws `expired_api_key` for an expired key, and the same
 * `invalid_api_key` for every other key that is not an enabled key of an active account.
 */
export function validUntilMs(key: PresentedKey, nowMs: number): number {
  if (!key.live || !key.accountActive) throw new GatewayError('invalid_api_key');
  const ends = [key.expiresAtMs, key.retiresAtMs].filter((end) => end !== null);
  if (ends.some((end) => end <= nowMs)) throw new GatewayError('expired_api_key');
  return ends.length === 0 ? 0 : Math.min(...ends);
}
