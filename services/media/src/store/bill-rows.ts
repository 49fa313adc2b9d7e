import type { BilledCall, UsageEvent } from '@gateway/call-billing';
import type { RecoverableTask } from '../videos/rules/video-task';

export interface BillRow {
  request_id: string;
  account_id: string;
  key_id: string;
  cell: string;
  model: string;
  provider: string;
  endpoint: string;
  price_version: bigint;
  started_at_ms: bigint;
  admitted_ms: number;
  state: 'open' | 'dispatched' | 'ended';
  event: UsageEvent | null;
}

/** Column `sought`: amounts as text, because JSON numbers would lose digits. */
export interface RecoverableTaskJson {
  task_id?: string;
  credential_id?: string;
  upstream_model: string;
  upstream_id: string;
  tier: string;
  requested_ms: string;
  per_second_nano: string;
}

export const BILL_COLUMNS = `request_id, account_id, key_id, cell, model, provider, endpoint, price_version, started_at_ms,
  admitted_ms, state, event`;

export const fromBillRow = (row: BillRow): BilledCall => ({
  requestId: row.request_id,
  accountId: row.account_id,
  keyId: row.key_id,
  cell: row.cell,
  model: row.model,
  provider: row.provider,
  endpoint: row.endpoint,
  streamed: false,
  priceVersion: row.price_version,
  startedAtMs: Number(row.started_at_ms),
  admittedMs: row.admitted_ms,
});

export const toRecoverableTaskJson = (task: RecoverableTask): RecoverableTaskJson => ({
  ...(task.taskId !== undefined && { task_id: task.taskId }),
  ...(task.credentialId !== undefined && { credential_id: task.credentialId }),
  upstream_model: task.upstreamModel,
  upstream_id: task.upstreamId,
  tier: task.tier,
  requested_ms: task.requestedMs.toString(),
  per_second_nano: task.perSecondNano.toString(),
});

export const fromRecoverableTaskJson = (json: RecoverableTaskJson): RecoverableTask => ({
  ...(json.task_id !== undefined && { taskId: json.task_id }),
  ...(json.credential_id !== undefined && { credentialId: json.credential_id }),
  upstreamModel: json.upstream_model,
  upstreamId: json.upstream_id,
  tier: json.tier,
  requestedMs: BigInt(json.requested_ms),
  perSecondNano: BigInt(json.per_second_nano),
});
