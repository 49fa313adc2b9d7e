import type { Pool } from '@gateway/postgres';
import type { ListTopupsRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ListTopupsRequest';
import type { ListTopupsResponse } from '@gateway/proto/generated/gateway/billing/v1/ListTopupsResponse';
import type { RequestContext } from '@gateway/rpc';
import { listTopups as list } from '../ledger/store/topups';
import { toPageRequest } from '../store/page';
import { parseLookupId } from './parse';
import { toProtoTopup } from './to-proto';

export const listTopups =
  (pool: Pool) =>
  async (_context: RequestContext, request: ListTopupsRequest__Output): Promise<ListTopupsResponse> => {
    const page = toPageRequest(request.limit, request.cursor);
    const { rows, nextCursor } = await list(pool, parseLookupId(request.accountId), page);
    return { topups: rows.map(toProtoTopup), nextCursor };
  };
