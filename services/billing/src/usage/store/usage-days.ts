import { type Queryable, rowsOf, statement } from '../../store/statement';

export interface UsageTotalsRow {
  group: string;
  /** Empty unless grouped by it, alone or with the key; the same applies to the key. */
  model: string;
  key_id: string;
  calls: bigint;
  errors: bigint;
  input_tokens: bigint;
  output_tokens: bigint;
  images: bigint;
  video_ms: bigint;
  charged_nano: bigint;
}

export type UsageGroup = 'day' | 'model' | 'key' | 'day,model' | 'day,key';

const MAX_GROUPS = 1_000;
/** Maximum rows of days by model or key, which are useless if incomplete. */
export const MAX_PAIRS = 10_000;

const HIGHEST_COST_FIRST = 'sum(charged_nano) DESC, sum(calls) DESC';

type Column = 'day' | 'model' | 'key_id';

function sums(columns: readonly [Column, Column?], order: string, limit: number): string {
  const [first, second] = columns;
  const by = columns.map((column) => `d.${column}`).join(', ');
  const ifSecond = (column: Column) => (second === column ? `d.${column}` : `''`);
  return `SELECT ${first === 'day' ? "to_char(d.day, 'YYYY-MM-DD')" : `d.${first}`} AS "group",
      ${ifSecond('model')} AS model, ${ifSecond('key_id')} AS key_id, sum(calls)::bigint AS calls,
      sum(errors)::bigint AS errors, sum(input_tokens)::bigint AS input_tokens,
      sum(output_tokens)::bigint AS output_tokens, sum(images)::bigint AS images,
      sum(video_ms)::bigint AS video_ms, sum(charged_nano)::bigint AS charged_nano
    FROM billing.usage_days d WHERE account_id = $1 AND day BETWEEN $2 AND $3
    GROUP BY ${by} ORDER BY ${order}, ${by} LIMIT ${limit}`;
}

const ofEachDay = (column: Column) => sums(['day', column], `d.day, ${HIGHEST_COST_FIRST}`, MAX_PAIRS + 1);

const SUMS: Record<UsageGroup, ReturnType<typeof statement>> = {
  day: statement('usage-by-day', sums(['day'], 'd.day', MAX_GROUPS)),
  model: statement('usage-by-model', sums(['model'], HIGHEST_COST_FIRST, MAX_GROUPS)),
  key: statement('usage-by-key', sums(['key_id'], HIGHEST_COST_FIRST, MAX_GROUPS)),
  'day,model': statement('usage-by-day-and-model', ofEachDay('model')),
  'day,key': statement('usage-by-day-and-key', ofEachDay('key_id')),
};

/** At most one row more than `MAX_PAIRS`. */
export function sumUsage(
  on: Queryable,
  accountId: string,
  days: { readonly from: string; readonly to: string; readonly by: UsageGroup },
): Promise<UsageTotalsRow[]> {
  return rowsOf(on, SUMS[days.by], [accountId, days.from, days.to]);
}

/** Calls without a record of their own. */
export interface RefusedCount {
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  readonly day: string;
  readonly calls: bigint;
}
