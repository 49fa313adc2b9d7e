import type { Pool } from '@gateway/postgres';
import type { Account } from '@gateway/proto/generated/gateway/billing/v1/Account';
import type { UpdateAccountLimitsRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/UpdateAccountLimitsRequest';
import type { RequestContext } from '@gateway/rpc';
import { updateAccountLimits as update } from '../accounts/store/change-account';
import { parseChange, parseLimit, parseLookupId } from './parse';
import { toProtoAccount } from './to-proto';

const WHEN_SHORT = {
  WHEN_SHORT_UNSPECIFIED: undefined,
  WHEN_SHORT_LOWER: 'lower',
  WHEN_SHORT_REFUSE: 'refuse',
} as const;

export const updateAccountLimits =
  (pool: Pool) =>
  async (_context: RequestContext, request: UpdateAccountLimitsRequest__Output): Promise<Account> => {
    const dailyLimit = parseLimit(request.dailyLimitNano, 'daily_limit');
    const row = await update(pool, parseLookupId(request.id), {
      dailyLimitNano: parseChange(request.liftDailyLimit, dailyLimit, 'daily_limit'),
      insufficientFundsPolicy: WHEN_SHORT[request.whenShort],
      bareModelNames: request.bareModelNames,
    });
    return toProtoAccount(row);
  };
