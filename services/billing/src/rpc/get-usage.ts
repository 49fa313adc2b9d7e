import { GatewayError } from '@gateway/proto';
import type { GetUsageRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/GetUsageRequest';
import type { GetUsageResponse } from '@gateway/proto/generated/gateway/billing/v1/GetUsageResponse';
import type { Pool, RequestContext } from '@gateway/runtime';
import { isDay } from '../domain/refused-call';
import { sumUsage, type UsageGroup } from '../store/usage-days';
import { parseLookupId } from './parse';
import { toProtoUsageTotals } from './to-proto-records';

const GROUPS: Readonly<Record<string, UsageGroup>> = {
  USAGE_GROUP_DAY: 'day',
  USAGE_GROUP_MODEL: 'model',
  USAGE_GROUP_KEY: 'key',
};

export const getUsage =
  (pool: Pool) =>
  async (_context: RequestContext, request: GetUsageRequest__Output): Promise<GetUsageResponse> => {
    const { fromDay: from, toDay: to } = request;
    const by = GROUPS[request.groupBy];
    if (!by || !isDay(from) || !isDay(to)) {
      throw new GatewayError('invalid_request', { detail: 'two days and what to group by are required' });
    }
    const rows = await sumUsage(pool, parseLookupId(request.accountId), { from, to, by });
    return { groups: rows.map(toProtoUsageTotals) };
  };
