import { dayOf, requestTimeMs } from '../../reserve/rules/request-id';
import type { UsageEvent } from '../../settle/rules/usage-event';
import type { Element } from '../../store/array-literal';
import { type Queryable, rowsOf, statement } from '../../store/statement';
import { summedModel } from '../rules/refused-call';
import type { RefusedCount } from './usage-days';

// The days get the inserted rows, so that a call counts once however often it is delivered. Rows of both tables are written in the
// order of their keys: of two transactions that write the same rows, one waits. `more` are additional rows for the days: in a
// separate statement they would be written out of order. `IS TRUE` keeps the planner from a nested loop, which on this pool reads
// 250 rows for each of 250: the inserted rows are hashed instead.
const insert = (more = '') => `WITH u AS (
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
       $8::int[], $9::text[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[],
       $15::bigint[], $16::bigint[], $17::bigint[], $18::text[], $19::boolean[], $20::bigint[], $21::bigint[],
       $22::bigint[], $23::bigint[], $24::bigint[], $25::bigint[], $26::date[], $27::text[], $28::text[], $29::bigint[],
       $30::text[], $31::text[])
     AS u (request_id, account_id, key_id, model, endpoint, provider, outcome, status, error_code, price_version,
       cost_nano, charged_nano, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
       reasoning_tokens, usage_source, streamed, first_byte_ms, started_at_ms, ended_at_ms, images, video_ms,
       admitted_ms, day, summed_model, task_id, provider_cost_nano, requested_model, units)
   ), inserted AS (
     INSERT INTO billing.usage_records (request_id, account_id, key_id, model, endpoint, provider, outcome, status,
       error_code, price_version, cost_nano, charged_nano, input_tokens, cache_read_tokens, cache_write_tokens,
       output_tokens, reasoning_tokens, usage_source, streamed, first_byte_ms, started_at, ended_at, images,
       video_ms, admitted_ms, task_id, provider_cost_nano, requested_model, units)
     SELECT request_id, account_id, key_id, model, endpoint, provider, outcome, status, error_code, price_version,
       cost_nano, charged_nano, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
       reasoning_tokens, usage_source, streamed, first_byte_ms,
       to_timestamp(started_at_ms / 1000.0), to_timestamp(ended_at_ms / 1000.0), images, video_ms, admitted_ms,
       task_id, provider_cost_nano, requested_model, units::jsonb
     FROM u ORDER BY request_id
     ON CONFLICT (request_id) DO NOTHING
     RETURNING request_id
   )
   INSERT INTO billing.usage_days AS d (account_id, day, key_id, model, calls, errors, input_tokens, output_tokens,
     images, video_ms, charged_nano)
   SELECT account_id, day, key_id, model, sum(calls), sum(errors), sum(input_tokens), sum(output_tokens),
     sum(images), sum(video_ms), sum(charged_nano)
   FROM (
     SELECT account_id, day, key_id, summed_model AS model, 1::bigint AS calls, (error_code <> '')::int::bigint AS errors,
       input_tokens + cache_read_tokens + cache_write_tokens AS input_tokens, output_tokens, images, video_ms,
       charged_nano
     FROM u WHERE (request_id IN (SELECT request_id FROM inserted)) IS TRUE ${more}
   ) AS counted
   GROUP BY account_id, day, key_id, model ORDER BY account_id, day, key_id, model
   ON CONFLICT (account_id, day, key_id, model) DO UPDATE SET
     calls = d.calls + excluded.calls, errors = d.errors + excluded.errors,
     input_tokens = d.input_tokens + excluded.input_tokens,
     output_tokens = d.output_tokens + excluded.output_tokens, images = d.images + excluded.images,
     video_ms = d.video_ms + excluded.video_ms, charged_nano = d.charged_nano + excluded.charged_nano`;

const INSERT = statement('insert-usage-records', insert());
const INSERT_AND_COUNT = statement(
  'insert-usage-records-and-counts',
  insert(`UNION ALL
     SELECT account_id, day, key_id, model, calls, calls, 0, 0, 0, 0, 0
     FROM unnest($32::text[], $33::date[], $34::text[], $35::text[], $36::bigint[])
       AS more (account_id, day, key_id, model, calls)`),
);

/** A call that ended, or was refused before it got a hold. */
export type RecordedCall = Omit<UsageEvent, 'outcome'> & {
  readonly outcome: UsageEvent['outcome'] | 'refused';
};

export interface ChargedEvent {
  readonly event: RecordedCall;
  readonly chargedNano: bigint;
}

export const insertUsageRecords = (on: Queryable, charged: readonly ChargedEvent[]): Promise<unknown> =>
  rowsOf(on, INSERT, columnsOf(charged));

/** Adds the counts of calls without a record. */
export async function insertUsageRecordsAndCounts(
  on: Queryable,
  charged: readonly ChargedEvent[],
  counts: readonly RefusedCount[],
): Promise<void> {
  if (charged.length + counts.length === 0) return;
  await rowsOf(on, INSERT_AND_COUNT, [
    ...columnsOf(charged),
    counts.map(({ accountId }) => accountId),
    counts.map(({ day }) => day),
    counts.map(({ keyId }) => keyId),
    counts.map(({ model }) => model),
    counts.map(({ calls }) => calls),
  ]);
}

function columnsOf(charged: readonly ChargedEvent[]): Element[][] {
  const column = <T>(pick: (event: RecordedCall) => T): T[] => charged.map(({ event }) => pick(event));
  return [
    column((event) => event.requestId),
    column((event) => event.accountId),
    column((event) => event.keyId),
    column((event) => event.model),
    column((event) => event.endpoint),
    column((event) => event.provider),
    column((event) => event.outcome),
    column((event) => event.status),
    column((event) => event.errorCode),
    column((event) => event.priceVersion),
    column((event) => event.costNano),
    charged.map(({ chargedNano }) => chargedNano),
    column((event) => event.inputTokens),
    column((event) => event.cacheReadTokens),
    column((event) => event.cacheWriteTokens),
    column((event) => event.outputTokens),
    column((event) => event.reasoningTokens),
    column((event) => event.usageSource),
    column((event) => event.streamed),
    column((event) => event.firstByteMs),
    column((event) => event.startedAtMs),
    column((event) => event.endedAtMs),
    column((event) => event.images),
    column((event) => event.videoMs),
    column((event) => event.admittedMs),
    column(({ requestId, startedAtMs }) => dayOf(requestTimeMs(requestId, startedAtMs))),
    column(({ model, errorCode }) => summedModel(model, errorCode)),
    column((event) => event.taskId),
    column((event) => event.providerCostNano ?? null),
    column((event) => event.requestedModel || null),
    column((event) => event.units ?? null),
  ];
}
