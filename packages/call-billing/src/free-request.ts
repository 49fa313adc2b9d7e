import type { ReserveRequest } from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';

/** Returns the Reserve request of a call that costs nothing: it only counts against the key's RPM. */
export function freeRequest(requestId: string, key: KeyContext__Output): ReserveRequest {
  return { requestId, accountId: key.accountId, keyId: key.keyId, valueId: key.valueId, free: true };
}
