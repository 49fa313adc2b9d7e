import type { Pool } from '@gateway/postgres';
import type { ListOperatorLossesRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ListOperatorLossesRequest';
import type { ListOperatorLossesResponse } from '@gateway/proto/generated/gateway/billing/v1/ListOperatorLossesResponse';
import type { RequestContext } from '@gateway/rpc';
import { listOperatorLosses as list } from '../ledger/store/operator-losses';
import { toPageRequest } from '../store/page';
import { parseLookupId } from './parse';

export const listOperatorLosses =
  (pool: Pool) =>
  async (
    _context: RequestContext,
    request: ListOperatorLossesRequest__Output,
  ): Promise<ListOperatorLossesResponse> => {
    const page = toPageRequest(request.limit, request.cursor);
    const { rows, nextCursor } = await list(pool, parseLookupId(request.accountId), page);
    const losses = rows.map((row) => ({
      requestId: row.request_id,
      reason: row.reason,
      amountNano: String(row.amount_nano),
      createdAtMs: String(row.created_at_ms),
    }));
    return { losses, nextCursor };
  };
