import type { BilledCall, UsageEvent } from '@gateway/metering';

export interface BillRow {
  request_id: string;
  account_id: string;
  key_id: string;
  model: string;
  provider: string;
  endpoint: string;
  price_version: bigint;
  started_at_ms: bigint;
  admitted_ms: number;
  state: 'open' | 'dispatched' | 'ended';
  event: UsageEvent | null;
}

export const BILL_COLUMNS = `request_id, account_id, key_id, model, provider, endpoint, price_version, started_at_ms,
  admitted_ms, state, event`;

export const fromBillRow = (row: BillRow): BilledCall => ({
  requestId: row.request_id,
  accountId: row.account_id,
  keyId: row.key_id,
  model: row.model,
  provider: row.provider,
  endpoint: row.endpoint,
  streamed: false,
  priceVersion: row.price_version,
  startedAtMs: Number(row.started_at_ms),
  admittedMs: row.admitted_ms,
});
