import type { ReserveRequest } from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';

/** Returns the Reserve request of a free call, which only counts against the key's RPM limit. */
export function freeRequest(requestId: string, key: KeyContext__Output): ReserveRequest {
  return { requestId, accountId: key.accountId, keyId: key.keyId, valueId: key.valueId, free: true };
}
