import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { GetUsageRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/GetUsageRequest';
import type { GetUsageResponse } from '@gateway/proto/generated/gateway/billing/v1/GetUsageResponse';
import type { RequestContext } from '@gateway/rpc';
import { isDay } from '../usage/rules/refused-call';
import { MAX_PAIRS, sumUsage, type UsageGroup } from '../usage/store/usage-days';
import { parseLookupId } from './parse';
import { timeoutToInvalidRequest } from './refuse-timeout';
import { toProtoUsageTotals } from './to-proto-records';

const GROUPS: Readonly<Record<string, UsageGroup>> = {
  USAGE_GROUP_DAY: 'day',
  USAGE_GROUP_MODEL: 'model',
  USAGE_GROUP_KEY: 'key',
  USAGE_GROUP_DAY_MODEL: 'day,model',
  USAGE_GROUP_DAY_KEY: 'day,key',
};

const FEWER_DAYS = 'the range is too large; use fewer days (from, to)';

export const getUsage =
  (pool: Pool) =>
  async (_context: RequestContext, request: GetUsageRequest__Output): Promise<GetUsageResponse> => {
    const { fromDay: from, toDay: to } = request;
    const by = GROUPS[request.groupBy];
    if (!by || !isDay(from) || !isDay(to)) {
      throw new GatewayError('invalid_request', { detail: 'two days and a grouping are required' });
    }
    const summed = sumUsage(pool, parseLookupId(request.accountId), { from, to, by });
    const rows = await summed.catch(timeoutToInvalidRequest(FEWER_DAYS));
    if (rows.length > MAX_PAIRS) throw new GatewayError('invalid_request', { detail: FEWER_DAYS });
    return { groups: rows.map(toProtoUsageTotals) };
  };
