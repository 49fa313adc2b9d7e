import { rateHeaders } from '@gateway/errors';
import type { ReserveRequest } from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { fromProtoRates } from '@gateway/rpc';
import type { ReserveClient } from './reserve-client';

/** Returns the Reserve request of a free call, which only counts against the key's RPM limit. */
export function freeRequest(requestId: string, key: KeyContext__Output): ReserveRequest {
  return { requestId, accountId: key.accountId, keyId: key.keyId, valueId: key.valueId, free: true };
}

/** Admits a call that costs nothing: counts it against the key's RPM. Returns response headers. */
export async function admitFree(
  reserve: Pick<ReserveClient, 'reserve'>,
  requestId: string,
  key: KeyContext__Output,
): Promise<Record<string, string>> {
  return rateHeaders(fromProtoRates(await reserve.reserve(freeRequest(requestId, key))));
}
