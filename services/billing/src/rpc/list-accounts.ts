import type { Pool } from '@gateway/postgres';
import type { ListAccountsRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ListAccountsRequest';
import type { ListAccountsResponse } from '@gateway/proto/generated/gateway/billing/v1/ListAccountsResponse';
import type { RequestContext } from '@gateway/rpc';
import { listAccounts as list } from '../accounts/store/accounts';
import { toPageRequest } from '../store/page';
import { parseId, parseName } from './parse';
import { toProtoAccount } from './to-proto';

export const listAccounts =
  (pool: Pool) =>
  async (_context: RequestContext, request: ListAccountsRequest__Output): Promise<ListAccountsResponse> => {
    const search = {
      query: parseName(request.query, 'query'),
      alsoIds: request.alsoIds.map((id) => parseId(id, 'also_ids')),
    };
    const { rows, nextCursor } = await list(pool, search, toPageRequest(request.limit, request.cursor));
    return { accounts: rows.map(toProtoAccount), nextCursor };
  };
