import type { Pool } from '@gateway/postgres';
import type { GetKeyUseRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/GetKeyUseRequest';
import type { KeyUse } from '@gateway/proto/generated/gateway/billing/v1/KeyUse';
import type { RequestContext } from '@gateway/rpc';
import { nextUtcDayMs, nextUtcMonthMs } from '../domain/utc-windows';
import { getKeyUse as get, type KeyUseRow } from '../keys/store/key-use';
import { parseLookupId } from './parse';

export const getKeyUse =
  (pool: Pool) =>
  async (_context: RequestContext, request: GetKeyUseRequest__Output): Promise<KeyUse> =>
    toProtoKeyUse(await get(pool, parseLookupId(request.accountId), parseLookupId(request.id)));

function toProtoKeyUse(row: KeyUseRow): KeyUse {
  const nowMs = Number(row.now_ms);
  return {
    dayNano: String(row.day_nano),
    monthNano: String(row.month_nano),
    accountDayNano: String(row.account_day_nano),
    dayEndsAtMs: String(nextUtcDayMs(nowMs)),
    monthEndsAtMs: String(nextUtcMonthMs(nowMs)),
    ...(row.is_rate_limited && {
      minute: { requests: String(row.minute_requests), tokens: String(row.minute_tokens) },
    }),
  };
}
