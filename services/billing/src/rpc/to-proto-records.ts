import type { RequestRecord } from '@gateway/proto/generated/gateway/billing/v1/RequestRecord';
import type { UsageTotals } from '@gateway/proto/generated/gateway/billing/v1/UsageTotals';
import { requestTimeMs } from '../reserve/rules/request-id';
import type { RequestRow } from '../usage/store/request-records';
import type { UsageTotalsRow } from '../usage/store/usage-days';

export function toProtoRequestRecord(row: RequestRow): RequestRecord {
  return {
    id: row.request_id,
    accountId: row.account_id,
    keyId: row.key_id,
    model: row.model,
    endpoint: row.endpoint,
    provider: row.provider,
    status: row.status,
    errorCode: row.error_code,
    costNano: String(row.charged_nano),
    tokens: {
      input: String(row.input_tokens),
      cacheRead: String(row.cache_read_tokens),
      cacheWrite: String(row.cache_write_tokens),
      output: String(row.output_tokens),
      reasoning: String(row.reasoning_tokens),
      units: Object.fromEntries(Object.entries(row.units ?? {}).map(([unit, n]) => [unit, String(n)])),
    },
    images: Number(row.images),
    videoMs: String(row.video_ms),
    streamed: row.streamed,
    createdAtMs: String(requestTimeMs(row.request_id, Number(row.started_at_ms))),
    startedAtMs: String(row.started_at_ms),
    admittedMs: Number(row.admitted_ms),
    firstByteMs: Number(row.first_byte_ms),
    endedAtMs: String(row.ended_at_ms),
    taskId: row.task_id,
    inProgress: row.in_progress,
    heldNano: String(row.held_nano),
    requestedModel: row.requested_model ?? '',
    ...(row.provider_cost_nano !== null && { providerCostNano: String(row.provider_cost_nano) }),
  };
}

export const toProtoUsageTotals = (row: UsageTotalsRow): UsageTotals => ({
  group: row.group,
  calls: String(row.calls),
  errors: String(row.errors),
  inputTokens: String(row.input_tokens),
  outputTokens: String(row.output_tokens),
  images: String(row.images),
  videoMs: String(row.video_ms),
  costNano: String(row.charged_nano),
  model: row.model,
  keyId: row.key_id,
});
