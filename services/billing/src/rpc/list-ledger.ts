import type { Pool } from '@gateway/postgres';
import type { ListLedgerRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ListLedgerRequest';
import type { ListLedgerResponse } from '@gateway/proto/generated/gateway/billing/v1/ListLedgerResponse';
import type { RequestContext } from '@gateway/rpc';
import { listLedger as list } from '../ledger/store/list-ledger';
import { toPageRequest } from '../store/page';
import { parseLookupId } from './parse';
import { toProtoLedgerEntry } from './to-proto';

export const listLedger =
  (pool: Pool) =>
  async (_context: RequestContext, request: ListLedgerRequest__Output): Promise<ListLedgerResponse> => {
    const page = toPageRequest(request.limit, request.cursor);
    const { rows, nextCursor } = await list(pool, parseLookupId(request.accountId), page);
    return { entries: rows.map(toProtoLedgerEntry), nextCursor };
  };
