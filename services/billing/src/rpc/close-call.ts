import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { CloseCallRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/CloseCallRequest';
import type { CloseCallResponse } from '@gateway/proto/generated/gateway/billing/v1/CloseCallResponse';
import type { RequestContext } from '@gateway/rpc';
import { isUuid } from '../reserve/rules/request-id';
import { closeCall as close } from '../reserve/store/holds';
import { parseLookupId } from './parse';

/** Returns what a call whose reply is lost was charged. If nothing is reserved for it, nothing can be any more. */
export const closeCall =
  (pool: Pool) =>
  async (
    _context: RequestContext,
    { accountId, keyId, requestId }: CloseCallRequest__Output,
  ): Promise<CloseCallResponse> => {
    if (!isUuid(requestId)) throw new GatewayError('not_found');
    const call = { requestId, accountId: parseLookupId(accountId), keyId: parseLookupId(keyId) };
    const hold = await close(pool, call);
    if (!hold) throw new GatewayError('not_found');
    if (hold.state === 'open') return { state: 'CALL_END_STATE_OPEN' };
    if (hold.state === 'expired') return { state: 'CALL_END_STATE_EXPIRED' };
    return { state: 'CALL_END_STATE_ENDED', chargedNano: String(hold.chargedNano) };
  };
