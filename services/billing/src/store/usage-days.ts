import { type Queryable, rowsOf, statement } from './statement';

export interface UsageTotalsRow {
  group: string;
  calls: bigint;
  errors: bigint;
  input_tokens: bigint;
  output_tokens: bigint;
  images: bigint;
  video_ms: bigint;
  charged_nano: bigint;
}

export type UsageGroup = 'day' | 'model' | 'key';

const MAX_GROUPS = 1_000;

const sums = (group: string, order: string) => `SELECT ${group} AS "group", sum(calls)::bigint AS calls,
    sum(errors)::bigint AS errors, sum(input_tokens)::bigint AS input_tokens,
    sum(output_tokens)::bigint AS output_tokens, sum(images)::bigint AS images, sum(video_ms)::bigint AS video_ms,
    sum(charged_nano)::bigint AS charged_nano
  FROM billing.usage_days WHERE account_id = $1 AND day BETWEEN $2 AND $3
  GROUP BY ${group} ORDER BY ${order}, 1 LIMIT ${MAX_GROUPS}`;

const SUMS: Record<UsageGroup, ReturnType<typeof statement>> = {
  day: statement('usage-by-day', sums("to_char(day, 'YYYY-MM-DD')", '1')),
  model: statement('usage-by-model', sums('model', 'sum(charged_nano) DESC, sum(calls) DESC')),
  key: statement('usage-by-key', sums('key_id', 'sum(charged_nano) DESC, sum(calls) DESC')),
};

export function sumUsage(
  on: Queryable,
  accountId: string,
  days: { readonly from: string; readonly to: string; readonly by: UsageGroup },
): Promise<UsageTotalsRow[]> {
  return rowsOf(on, SUMS[days.by], [accountId, days.from, days.to]);
}

/** Calls that have no record of their own. */
export interface RefusedCount {
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  readonly day: string;
  readonly calls: bigint;
}
