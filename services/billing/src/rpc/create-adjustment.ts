import type { Pool } from '@gateway/postgres';
import type { CreateAdjustmentRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/CreateAdjustmentRequest';
import type { LedgerEntry } from '@gateway/proto/generated/gateway/billing/v1/LedgerEntry';
import type { RequestContext } from '@gateway/rpc';
import { createAdjustment as create } from '../ledger/store/adjustments';
import { parseId, parseLookupId, parseName, parseSignedAmount } from './parse';
import { toProtoLedgerEntry } from './to-proto';

export const createAdjustment =
  (pool: Pool) =>
  async (_context: RequestContext, request: CreateAdjustmentRequest__Output): Promise<LedgerEntry> => {
    const row = await create(pool, {
      id: parseId(request.id, 'id'),
      accountId: parseLookupId(request.accountId),
      amountNano: parseSignedAmount(request.amountNano, 'amount'),
      reason: parseName(request.reason, 'reason'),
    });
    return toProtoLedgerEntry(row);
  };
