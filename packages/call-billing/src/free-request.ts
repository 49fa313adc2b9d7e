import type { ReserveRequest } from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';

/** For a call that costs nothing: takes the key's request rate alone. */
export function freeRequest(requestId: string, key: KeyContext__Output): ReserveRequest {
  return { requestId, accountId: key.accountId, keyId: key.keyId, valueId: key.valueId, free: true };
}
