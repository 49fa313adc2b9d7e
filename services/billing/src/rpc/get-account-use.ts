import type { Pool } from '@gateway/postgres';
import type { AccountUse } from '@gateway/proto/generated/gateway/billing/v1/AccountUse';
import type { GetAccountUseRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/GetAccountUseRequest';
import type { RequestContext } from '@gateway/rpc';
import { getAccountUse as get } from '../accounts/store/account-use';
import { nextUtcDayMs } from '../domain/utc-windows';
import { parseLookupId } from './parse';

export const getAccountUse =
  (pool: Pool) =>
  async (_context: RequestContext, request: GetAccountUseRequest__Output): Promise<AccountUse> => {
    const { day_nano, now_ms } = await get(pool, parseLookupId(request.accountId));
    return { dayNano: String(day_nano), dayEndsAtMs: String(nextUtcDayMs(Number(now_ms))) };
  };
