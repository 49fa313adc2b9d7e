import type { Pool } from '@gateway/postgres';
import type { AbandonedCost } from '@gateway/proto/generated/gateway/billing/v1/AbandonedCost';
import type { GetAbandonedCostRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/GetAbandonedCostRequest';
import type { RequestContext } from '@gateway/rpc';
import { getAbandonedCost as get } from '../settle/store/abandoned-costs';
import { parseLookupId } from './parse';

export const getAbandonedCost =
  (pool: Pool, limitNano: bigint) =>
  async (_context: RequestContext, request: GetAbandonedCostRequest__Output): Promise<AbandonedCost> => {
    const row = await get(pool, parseLookupId(request.accountId));
    return {
      hourNano: String(row.hour_nano),
      limitNano: String(limitNano),
      ...(row.limited_until_ms !== null && { limitedUntilMs: String(row.limited_until_ms) }),
    };
  };
