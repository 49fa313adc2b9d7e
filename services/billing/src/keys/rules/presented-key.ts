import { GatewayError } from '@gateway/errors';

/** What is known of the key that a presented value belongs to. */
export interface PresentedKey {
  readonly live: boolean;
  readonly accountActive: boolean;
  readonly expiresAtMs: number | null;
  /** When this value, since replaced by a rotation, ends. */
  readonly retiresAtMs: number | null;
}

/**
 * Until when the key may be taken for good, 0 without end. Throws one and the same `invalid_api_key` for
 * whatever is not a live key of an active account, `expired_api_key` for what was one.
 */
export function validUntilMs(key: PresentedKey, nowMs: number): number {
  if (!key.live || !key.accountActive) throw new GatewayError('invalid_api_key');
  const ends = [key.expiresAtMs, key.retiresAtMs].filter((end) => end !== null);
  if (ends.some((end) => end <= nowMs)) throw new GatewayError('expired_api_key');
  return ends.length === 0 ? 0 : Math.min(...ends);
}
