import type { ApiKey } from '../../api/keys';

export type KeyState = 'enabled' | 'disabled' | 'revoked' | 'expired';

/** What calls with the key would find; a key that is off is told so before one that is over. */
export function keyState({ status, expires_at }: ApiKey, nowMs: number): KeyState {
  if (status === 'disabled' || status === 'revoked') return status;
  return expires_at !== null && Date.parse(expires_at) <= nowMs ? 'expired' : 'enabled';
}
