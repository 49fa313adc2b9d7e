import type { Pool } from '@gateway/postgres';
import type { ListKeysRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ListKeysRequest';
import type { ListKeysResponse } from '@gateway/proto/generated/gateway/billing/v1/ListKeysResponse';
import type { RequestContext } from '@gateway/rpc';
import { listKeys as list } from '../keys/store/keys';
import { toPageRequest } from '../store/page';
import { parseLookupId } from './parse';
import { toProtoKey } from './to-proto';

export const listKeys =
  (pool: Pool) =>
  async (_context: RequestContext, request: ListKeysRequest__Output): Promise<ListKeysResponse> => {
    const page = toPageRequest(request.limit, request.cursor);
    const { rows, nextCursor } = await list(pool, parseLookupId(request.accountId), page, request.holderIds);
    return { keys: rows.map(toProtoKey), nextCursor };
  };
