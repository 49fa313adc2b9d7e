import type { AccountFigures, KeyFigures, WindowUse } from '../../reserve/rules/admission';
import { heldAndSettledNano } from '../../reserve/store/used-nano';
import { type Queryable, rowsOf, statement } from '../../store/statement';
import { VALUE_ID } from './keys';

type HeldAndSettled = readonly [held: string, settled: string] | null;

interface KeyRow {
  id: string;
  account_id: string;
  status: string;
  expires_at_ms: bigint | null;
  allowed_models: string[];
  bare_model_names: boolean | null;
  scopes: string[];
  allowed_ips: string[];
  daily_limit_nano: bigint | null;
  monthly_limit_nano: bigint | null;
  request_cost_limit_nano: bigint | null;
  rpm_limit: bigint | null;
  tpm_limit: bigint | null;
  rates_generation: bigint;
  live_value_ids: string[] | null;
  retired_value_ids: string[] | null;
  day_nano: HeldAndSettled;
  month_nano: HeldAndSettled;
  account_day_nano: HeldAndSettled;
  now_ms: bigint;
}

const READ = statement(
  'read-key-figures',
  `WITH today AS (SELECT coalesce($2::date, billing.utc_day(billing.clock())) AS day)
   SELECT k.id, k.account_id, k.status, billing.epoch_ms(k.expires_at) AS expires_at_ms, k.allowed_models, k.bare_model_names,
     k.scopes, k.allowed_ips,
     k.daily_limit_nano, k.monthly_limit_nano, k.request_cost_limit_nano, k.rpm_limit, k.tpm_limit, k.rates_generation,
     v.live_value_ids, v.retired_value_ids,
     ${heldAndSettledNano('key_day', 'k.id', 't.day')} AS day_nano,
     ${heldAndSettledNano('key_month', 'k.id', 'billing.month_of(t.day)')} AS month_nano,
     ${heldAndSettledNano('account_day', 'k.account_id', 't.day')} AS account_day_nano,
     billing.epoch_ms(billing.clock()) AS now_ms
   FROM billing.keys k CROSS JOIN today t
   LEFT JOIN LATERAL (
     SELECT array_agg(id) FILTER (WHERE NOT retired) AS live_value_ids,
       array_agg(id) FILTER (WHERE retired) AS retired_value_ids
     FROM (SELECT ${VALUE_ID} AS id, coalesce(retires_at <= billing.clock(), false) AS retired
       FROM billing.key_values WHERE key_id = k.id AND cardinality($3::text[]) > 0) value
     WHERE id = ANY($3)) v ON true
   WHERE k.id = ANY($1::text[])`,
);

export interface KeySpendSnapshot {
  readonly keys: ReadonlyMap<string, KeyFigures>;
  /** Daily windows of the accounts that own the keys. */
  readonly accountUse: ReadonlyMap<string, WindowUse>;
  /** The database's clock; 0 if none of the keys exists. */
  readonly nowMs: number;
}

export interface KeysToRead {
  readonly keyIds: Iterable<string>;
  /** The values of these keys to read; other values are not read. */
  readonly valueIds?: Iterable<string>;
  /** UTC; absent: today by the database's clock. */
  readonly day?: string;
}

/** Reads keys of locked accounts with their daily and monthly spend windows. */
export async function readKeyFigures(
  on: Queryable,
  { keyIds, valueIds = [], day }: KeysToRead,
): Promise<KeySpendSnapshot> {
  const values = [[...new Set(keyIds)], day ?? null, [...new Set(valueIds)].filter((id) => id !== '')];
  const rows = await rowsOf<KeyRow>(on, READ, values);
  return {
    keys: new Map(rows.map((row) => [row.id, fromRow(row)])),
    accountUse: new Map(rows.map((row) => [row.account_id, windowUse(row.account_day_nano)])),
    nowMs: Number(rows[0]?.now_ms ?? 0n),
  };
}

/** Adds the accounts' daily windows that were read with their keys. */
export function attachAccountUse(
  accounts: ReadonlyMap<string, AccountFigures>,
  { accountUse }: KeySpendSnapshot,
): void {
  for (const [id, today] of accountUse) {
    const account = accounts.get(id);
    if (account) account.today = today;
  }
}

function windowUse(figures: HeldAndSettled): WindowUse {
  const [held, settled] = figures ?? ['0', '0'];
  const heldNano = BigInt(held);
  return { usedNano: heldNano + BigInt(settled), heldNano };
}

const fromRow = (row: KeyRow): KeyFigures => ({
  id: row.id,
  accountId: row.account_id,
  enabled: row.status === 'enabled',
  expiresAtMs: row.expires_at_ms === null ? null : Number(row.expires_at_ms),
  allowedModels: row.allowed_models,
  bareModelNames: row.bare_model_names,
  scopes: row.scopes,
  allowedIps: row.allowed_ips,
  dailyLimitNano: row.daily_limit_nano,
  monthlyLimitNano: row.monthly_limit_nano,
  requestCostLimitNano: row.request_cost_limit_nano,
  rates: { rpm: row.rpm_limit, tpm: row.tpm_limit, generation: row.rates_generation },
  liveValueIds: row.live_value_ids ?? [],
  retiredValueIds: row.retired_value_ids ?? [],
  today: windowUse(row.day_nano),
  thisMonth: windowUse(row.month_nano),
});
