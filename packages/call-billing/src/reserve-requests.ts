import { scopeOfCall } from '@gateway/endpoints';
import { rateHeaders } from '@gateway/errors';
import type { LinkCall } from '@gateway/link';
import type { KeyScope } from '@gateway/models';
import type { ReserveRequest } from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import { fromProtoRates } from '@gateway/rpc';
import type { Owner } from './owner';
import type { ReserveClient } from './reserve-client';

/** Returns the Reserve request of a free call, which only counts against the key's RPM limit. */
export function freeRequest(requestId: string, call: FreeCall): ReserveRequest {
  return { requestId, free: true, ...identityOf(call.key), scopes: scopesOf(call) };
}

/** A call that needs a hold. */
export interface CallToHold {
  readonly key: KeyContext__Output;
  readonly model: { readonly slug: string; readonly outputModalities: Iterable<string> };
  /** The client named the model without its provider, which the key must allow. */
  readonly bareModelName: boolean;
  readonly endpoint: string;
  /** Scopes that the call needs for the content that it refers to; undefined: none. */
  readonly contentScopes?: readonly KeyScope[] | undefined;
  /** Maximum cost. */
  readonly boundNano: number | string;
  /** Smallest useful hold. */
  readonly floorNano: number | string;
  /** For the key's TPM limit: estimate of the prompt and the expected output. */
  readonly boundTokens: number | string;
  /** For the key's TPM limit: estimate of the prompt. */
  readonly floorTokens: number | string;
  /** A call above the key's per-request cap is refused, never reduced. */
  readonly callerNamedMaximum: boolean;
  /** Id of the task that the call creates; undefined: none. */
  readonly taskId?: string | undefined;
}

/** Returns the Reserve request of a call that needs a hold. */
export function holdRequest(requestId: string, owner: Owner, call: CallToHold): ReserveRequest {
  const { key, model, endpoint, contentScopes = [], taskId } = call;
  return {
    requestId,
    ...identityOf(key),
    scopes: [...scopesOf({ method: 'POST', path: endpoint }), ...contentScopes],
    model: model.slug,
    modelOutputs: [...model.outputModalities],
    bareModelName: call.bareModelName,
    ownerId: owner.id,
    ownerEpoch: owner.epoch.toString(),
    boundNano: call.boundNano,
    floorNano: call.floorNano,
    boundTokens: call.boundTokens,
    floorTokens: call.floorTokens,
    callerNamedMaximum: call.callerNamedMaximum,
    ...(taskId !== undefined && { makesTask: true, taskId, endpoint }),
  };
}

/** A call that costs nothing. */
export type FreeCall = Pick<LinkCall, 'key' | 'method' | 'path'>;

/** Returns the members of a Reserve request that identify the caller. */
const identityOf = ({ accountId, keyId, valueId, clientAddress }: KeyContext__Output) => ({
  accountId,
  keyId,
  valueId,
  clientAddress,
});

/** Returns the scopes that a call needs. */
function scopesOf({ method, path }: Pick<LinkCall, 'method' | 'path'>): KeyScope[] {
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
