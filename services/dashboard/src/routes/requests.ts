import { GatewayError } from '@gateway/errors';
import { usdFromNano } from '@gateway/money';
import type { ListRequestsRequest } from '@gateway/proto/generated/gateway/billing/v1/ListRequestsRequest';
import type { RequestRecord__Output } from '@gateway/proto/generated/gateway/billing/v1/RequestRecord';
import type { UsageTotals__Output } from '@gateway/proto/generated/gateway/billing/v1/UsageTotals';
import type { z } from 'zod';
import { listOf } from '../api/fields';
import {
  type AnyRequestRecord,
  anyRequestResponse,
  anyRequestsQuery,
  type RequestRecord,
  requestResponse,
  requestsQuery,
  type UsageRow,
  usageQuery,
  usageResponse,
} from '../api/requests';
import type { Billing } from '../clients/billing';
import { type Endpoint, endpoint } from './endpoint';
import { toList, toTime } from './to-json';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 1_000;

const GROUPS = {
  day: 'USAGE_GROUP_DAY',
  model: 'USAGE_GROUP_MODEL',
  key: 'USAGE_GROUP_KEY',
  'day,model': 'USAGE_GROUP_DAY_MODEL',
  'day,key': 'USAGE_GROUP_DAY_KEY',
} as const;

export const adminRequestEndpoints = (billing: Billing): Endpoint[] => [
  endpoint('operator', 'GET /admin/requests', {
    summary: 'List requests of all accounts, or of one, newest first, including refused ones',
    query: anyRequestsQuery,
    response: listOf(anyRequestResponse),
    async handle({ context, query: { account_id, cell, ...rest } }) {
      const { requests, nextCursor } = await billing.listAllRequests(
        context,
        cell,
        toFilter(account_id, rest),
      );
      return toList(requests.map(toAnyRequestJson), nextCursor);
    },
  }),
  endpoint('operator', 'GET /admin/requests/:id', {
    summary: 'Retrieve any request by the X-Request-Id of its response',
    response: anyRequestResponse,
    handle: async ({ context, params }) =>
      toAnyRequestJson(await billing.findRequest(context, params.id ?? '')),
  }),
];

export const requestEndpoints = (billing: Billing): Endpoint[] => [
  endpoint('viewer', 'GET /requests', {
    summary: "List the account's requests, newest first: completed, refused, and video tasks in progress",
    query: requestsQuery,
    response: listOf(requestResponse),
    async handle({ context, user, query }) {
      const { requests, nextCursor } = await billing.listRequests(context, toFilter(user.accountId, query));
      return toList(requests.map(toRequestJson), nextCursor);
    },
  }),
  endpoint('viewer', 'GET /requests/:id', {
    summary: 'Retrieve a request',
    response: requestResponse,
    handle: async ({ context, user, params }) =>
      toRequestJson(await billing.getRequest(context, user.accountId, params.id ?? '')),
  }),
  endpoint('viewer', 'GET /usage', {
    summary: 'Retrieve usage by UTC day, by default of the last 30 days',
    query: usageQuery,
    response: usageResponse,
    async handle({ context, user, query: { from, to = Date.now(), group_by } }) {
      const fromMs = from ?? to - (DEFAULT_DAYS - 1) * DAY_MS;
      if (fromMs > to || to - fromMs > MAX_DAYS * DAY_MS) {
        throw new GatewayError('invalid_request', {
          detail: `from, to: must be a range of at most ${MAX_DAYS} days`,
        });
      }
      const { groups } = await billing.getUsage(context, {
        accountId: user.accountId,
        fromDay: toTime(fromMs).slice(0, 10),
        toDay: toTime(to).slice(0, 10),
        groupBy: GROUPS[group_by],
      });
      return {
        data: groups.map((totals) => ({
          group: totals.group || null,
          ...(group_by === 'day,model' && { model: totals.model || null }),
          ...(group_by === 'day,key' && { key_id: totals.keyId }),
          ...toUsageJson(totals),
        })),
      };
    },
  }),
];

function toFilter(accountId: string, filter: z.output<typeof requestsQuery>): ListRequestsRequest {
  const { limit, cursor, from, to, key_id, model, status, error_code } = filter;
  return {
    accountId,
    limit,
    cursor,
    fromMs: String(from),
    toMs: String(to),
    keyId: key_id,
    model,
    ...toEnd(status),
    errorCode: error_code,
  };
}

const ENDS = {
  ok: 'REQUEST_END_OK',
  failed: 'REQUEST_END_FAILED',
  in_progress: 'REQUEST_END_IN_PROGRESS',
} as const;

const isEnd = (status: string): status is keyof typeof ENDS => Object.hasOwn(ENDS, status);

/** An HTTP status, or a word for whether and how the call has ended. */
const toEnd = (status: string) => (isEnd(status) ? { end: ENDS[status] } : { status: Number(status) });

function toRequestJson(record: RequestRecord__Output): RequestRecord {
  const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0, reasoning = 0 } = record.tokens ?? {};
  return {
    id: record.id,
    created_at: toTime(record.createdAtMs),
    key_id: record.keyId,
    endpoint: record.endpoint,
    model: record.model || null,
    requested_model: record.requestedModel || null,
    provider: record.provider || null,
    status: record.inProgress ? null : record.status,
    in_progress: record.inProgress,
    task_id: record.taskId || null,
    error_code: record.errorCode || null,
    streamed: record.streamed,
    input_tokens: Number(input) + Number(cacheRead) + Number(cacheWrite),
    cache_read_tokens: Number(cacheRead),
    cache_write_tokens: Number(cacheWrite),
    output_tokens: Number(output),
    reasoning_tokens: Number(reasoning),
    units: Object.fromEntries(
      Object.entries(record.tokens?.units ?? {}).map(([unit, count]) => [unit, Number(count)]),
    ),
    images: record.images,
    seconds: Number(record.videoMs) / 1_000,
    cost: usdFromNano(BigInt(record.costNano)),
    held: usdFromNano(BigInt(record.heldNano)),
    timings: toTimings(record),
  };
}

/** For operators. A call with a login token has a user and no key; one without valid credentials has neither. */
const toAnyRequestJson = (record: RequestRecord__Output): AnyRequestRecord => ({
  ...toRequestJson(record),
  key_id: record.keyId || null,
  account_id: record.accountId || null,
  user_id: record.userId || null,
  provider_cost: record.providerCostNano === undefined ? null : usdFromNano(BigInt(record.providerCostNano)),
});

/**
 * Consecutive stages: receiving the request (key, body), reserving money, the provider's first byte, the rest of the reply. The
 * timestamps come from several machines, so a stage may be zero. A call whose end only billing knows has no stages.
 */
function toTimings({ createdAtMs, startedAtMs, endedAtMs, admittedMs, firstByteMs }: RequestRecord__Output) {
  const [created, started, ended] = [Number(createdAtMs), Number(startedAtMs), Number(endedAtMs)];
  if (started === 0 || ended === 0) return null;
  const duration = (ms: number) => Math.max(0, ms);
  const firstByte = firstByteMs === 0 ? null : duration(firstByteMs - admittedMs);
  return {
    receive_ms: duration(started - created),
    admit_ms: admittedMs,
    first_byte_ms: firstByte,
    reply_ms: firstByte === null ? null : duration(ended - started - firstByteMs),
    total_ms: duration(ended - Math.min(created, started)),
  };
}

const toUsageJson = (totals: UsageTotals__Output): Omit<UsageRow, 'group'> => ({
  calls: Number(totals.calls),
  errors: Number(totals.errors),
  input_tokens: Number(totals.inputTokens),
  output_tokens: Number(totals.outputTokens),
  images: Number(totals.images),
  seconds: Number(totals.videoMs) / 1_000,
  cost: usdFromNano(BigInt(totals.costNano)),
});
