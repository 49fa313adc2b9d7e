import type { ApiKey } from './keys';

export type KeyState = 'enabled' | 'disabled' | 'revoked' | 'expired';

/** Returns the state that a request with the key would find; disabled takes precedence over expired. */
export function keyState({ status, expires_at }: ApiKey, nowMs: number): KeyState {
  if (status === 'disabled' || status === 'revoked') return status;
  return expires_at !== null && Date.parse(expires_at) <= nowMs ? 'expired' : 'enabled';
}
