import type { PoolClient } from '@gateway/runtime';
import type { UsageEvent } from '../domain/usage-event';
import { rowsOf, statement } from './statement';

const INSERT = statement(
  'insert-usage-records',
  `INSERT INTO billing.usage_records (request_id, account_id, key_id, model, endpoint, provider, outcome, status,
     error_code, price_version, cost_nano, charged_nano, input_tokens, cache_read_tokens, cache_write_tokens,
     output_tokens, reasoning_tokens, usage_source, streamed, first_byte_ms, started_at, ended_at, images, video_ms)
   SELECT request_id, account_id, key_id, model, endpoint, provider, outcome, status, error_code, price_version,
     cost_nano, charged_nano, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
     reasoning_tokens, usage_source, streamed, first_byte_ms,
     to_timestamp(started_at_ms / 1000.0), to_timestamp(ended_at_ms / 1000.0), images, video_ms
   FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[],
       $9::text[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[],
       $16::bigint[], $17::bigint[], $18::text[], $19::boolean[], $20::bigint[], $21::bigint[], $22::bigint[],
       $23::bigint[], $24::bigint[])
     AS u (request_id, account_id, key_id, model, endpoint, provider, outcome, status, error_code, price_version,
       cost_nano, charged_nano, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
       reasoning_tokens, usage_source, streamed, first_byte_ms, started_at_ms, ended_at_ms, images, video_ms)
   ON CONFLICT (request_id) DO NOTHING`,
);

export interface ChargedEvent {
  readonly event: UsageEvent;
  readonly chargedNano: bigint;
}

export async function insertUsageRecords(
  client: PoolClient,
  charged: readonly ChargedEvent[],
): Promise<void> {
  if (charged.length === 0) return;
  const column = <T>(pick: (event: UsageEvent) => T): T[] => charged.map(({ event }) => pick(event));
  await rowsOf(client, INSERT, [
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
  ]);
}
