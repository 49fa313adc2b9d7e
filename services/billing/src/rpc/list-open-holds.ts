import type { Pool } from '@gateway/postgres';
import type { ListOpenHoldsRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ListOpenHoldsRequest';
import type { ListOpenHoldsResponse } from '@gateway/proto/generated/gateway/billing/v1/ListOpenHoldsResponse';
import type { RequestContext } from '@gateway/rpc';
import { listOpenHolds as list } from '../reserve/store/holds';
import { parseId } from './parse';

const DEFAULT_LIMIT = 1_000;
const MAX_LIMIT = 10_000;

export const listOpenHolds =
  (pool: Pool) =>
  async (_context: RequestContext, request: ListOpenHoldsRequest__Output): Promise<ListOpenHoldsResponse> => {
    const ownerId = parseId(request.ownerId, 'owner_id');
    const limit = Math.min(request.limit || DEFAULT_LIMIT, MAX_LIMIT);
    return { holds: await list(pool, ownerId, BigInt(request.beforeEpoch), limit) };
  };
