import { rateHeaders } from '@gateway/errors';
import type { LinkCall } from '@gateway/link';
import { type KeyScope, scopeOfCall } from '@gateway/models';
import type { ReserveRequest } from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { fromProtoRates } from '@gateway/rpc';
import type { ReserveClient } from './reserve-client';

/** Returns the Reserve request of a free call, which only counts against the key's RPM limit. */
export function freeRequest(requestId: string, call: FreeCall): ReserveRequest {
  return { requestId, free: true, ...identityOf(call.key), scopes: scopesOf(call) };
}

/** A call that costs nothing. */
export type FreeCall = Pick<LinkCall, 'key' | 'method' | 'path'>;

/** Returns the members of a Reserve request that identify the caller. */
export const identityOf = ({ accountId, keyId, valueId, clientAddress }: KeyContext__Output) => ({
  accountId,
  keyId,
  valueId,
  clientAddress,
});

/** Returns the scopes that a call needs. */
export function scopesOf({ method, path }: Pick<LinkCall, 'method' | 'path'>): KeyScope[] {
  const scope = scopeOfCall(method, path);
  return scope === undefined ? [] : [scope];
}

/** Admits a call that costs nothing: counts it against the key's RPM. Returns response headers. */
export async function admitFree(
  reserve: Pick<ReserveClient, 'reserve'>,
  requestId: string,
  call: FreeCall,
): Promise<Record<string, string>> {
  return rateHeaders(fromProtoRates(await reserve.reserve(freeRequest(requestId, call))));
}
