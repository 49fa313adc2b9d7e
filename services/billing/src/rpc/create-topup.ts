import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { CreateTopupRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/CreateTopupRequest';
import type { Topup } from '@gateway/proto/generated/gateway/billing/v1/Topup';
import type { RequestContext } from '@gateway/rpc';
import { createTopup as create } from '../ledger/store/topups';
import { parseAmount, parseId, parseLookupId, parseName } from './parse';
import { toProtoTopup } from './to-proto';

export const createTopup =
  (pool: Pool) =>
  async (_context: RequestContext, request: CreateTopupRequest__Output): Promise<Topup> => {
    if (request.status !== 'TOPUP_STATUS_PENDING' && request.status !== 'TOPUP_STATUS_CLEARED') {
      throw new GatewayError('invalid_request', { detail: 'status: must be pending or cleared' });
    }
    const topup = await create(pool, {
      id: parseId(request.id, 'id'),
      accountId: parseLookupId(request.accountId),
      amountNano: parseAmount(request.amountNano, 'amount'),
      cleared: request.status === 'TOPUP_STATUS_CLEARED',
      reference: parseName(request.reference, 'reference'),
    });
    return toProtoTopup(topup);
  };
