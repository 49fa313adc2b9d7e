import { GatewayError } from '@gateway/proto';
import { type Queryable, rowsOf, statement } from './statement';

export interface AccountUseRow {
  day_nano: bigint;
  now_ms: bigint;
}

const GET = statement(
  'get-account-use',
  `SELECT coalesce(day.held_nano + day.settled_nano, 0) AS day_nano, billing.epoch_ms(billing.clock()) AS now_ms
   FROM billing.accounts a
   LEFT JOIN billing.spend_windows day
     ON day.kind = 'account_day' AND day.subject_id = a.id AND day.starts_on = billing.utc_day(billing.clock())
   WHERE a.id = $1`,
);

/** Throws `not_found` for an unknown account. */
export async function getAccountUse(on: Queryable, id: string): Promise<AccountUseRow> {
  const [row] = await rowsOf<AccountUseRow>(on, GET, [id]);
  if (!row) throw new GatewayError('not_found');
  return row;
}
