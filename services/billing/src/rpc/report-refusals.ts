import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { RefusedCount__Output } from '@gateway/proto/generated/gateway/billing/v1/RefusedCount';
import type { ReportRefusalsRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ReportRefusalsRequest';
import type { ReportRefusalsResponse } from '@gateway/proto/generated/gateway/billing/v1/ReportRefusalsResponse';
import type { RequestContext } from '@gateway/rpc';
import { MalformedEvent } from '../settle/rules/usage-event';
import { isDay, parseRefusedCall, summedModel } from '../usage/rules/refused-call';
import { type RefusalReport, takeRefusals } from '../usage/store/refusals';
import type { RefusedCount } from '../usage/store/usage-days';
import { parseAmount, parseId } from './parse';

const MAX_CALLS = 2_000;
const MAX_COUNTS = 20_000;

export const reportRefusals =
  (pool: Pool) =>
  async (
    _context: RequestContext,
    request: ReportRefusalsRequest__Output,
  ): Promise<ReportRefusalsResponse> => {
    await takeRefusals(pool, parseReport(request));
    return {};
  };

function parseReport(request: ReportRefusalsRequest__Output): RefusalReport {
  const { reporterId, report, calls, more } = request;
  if (calls.length > MAX_CALLS || more.length > MAX_COUNTS) {
    throw new GatewayError('invalid_request', { detail: 'the report is too long' });
  }
  try {
    return {
      reporterId: parseId(reporterId, 'reporter_id'),
      report: BigInt(report),
      calls: calls.map(parseRefusedCall),
      more: more.map(parseCount),
    };
  } catch (error) {
    if (error instanceof MalformedEvent) throw new GatewayError('invalid_request', { detail: error.message });
    throw error;
  }
}

function parseCount(count: RefusedCount__Output): RefusedCount {
  if (!isDay(count.day))
    throw new GatewayError('invalid_request', { detail: 'day is not a date (YYYY-MM-DD)' });
  return {
    accountId: parseId(count.accountId, 'account_id'),
    keyId: parseId(count.keyId, 'key_id'),
    model: count.model === '' ? '' : summedModel(parseId(count.model, 'model'), count.errorCode),
    day: count.day,
    calls: parseAmount(count.calls, 'calls'),
  };
}
