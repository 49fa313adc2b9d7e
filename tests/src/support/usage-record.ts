import { queryDatabase } from './query-database';
import type { System } from './system';

export interface UsageRecord {
  readonly provider: string;
  readonly model: string;
  /** Null: it is the model that answered. */
  readonly requested_model: string | null;
  readonly error_code: string;
  readonly input_tokens: string;
  readonly output_tokens: string;
  /** Null: none. */
  readonly units: Readonly<Record<string, number>> | null;
}

/** Returns billing's usage record of a settled call. */
export async function readUsageRecord(system: System, requestId: string): Promise<UsageRecord | undefined> {
  const text = `SELECT provider, model, requested_model, error_code, input_tokens, output_tokens, units
    FROM billing.usage_records WHERE request_id = $1`;
  const rows = await queryDatabase<UsageRecord & Record<string, unknown>>(system, text, [requestId]);
  if (rows.length > 1) throw new Error(`${requestId} has ${rows.length} records`);
  return rows[0];
}
