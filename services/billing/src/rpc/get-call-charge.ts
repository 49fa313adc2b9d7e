import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { GetCallChargeRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/GetCallChargeRequest';
import type { GetCallChargeResponse } from '@gateway/proto/generated/gateway/billing/v1/GetCallChargeResponse';
import type { RequestContext } from '@gateway/rpc';
import { isUuid } from '../reserve/rules/request-id';
import { findCharge } from '../reserve/store/holds';
import { parseLookupId } from './parse';

export const getCallCharge =
  (pool: Pool) =>
  async (
    _context: RequestContext,
    { accountId, requestId }: GetCallChargeRequest__Output,
  ): Promise<GetCallChargeResponse> => {
    if (!isUuid(requestId)) throw new GatewayError('not_found');
    const hold = await findCharge(pool, parseLookupId(accountId), requestId);
    if (!hold) return { state: 'CALL_STATE_NONE' };
    if (hold.state === 'open') return { state: 'CALL_STATE_OPEN' };
    return { state: 'CALL_STATE_ENDED', chargedNano: String(hold.chargedNano) };
  };
