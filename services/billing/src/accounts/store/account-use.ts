import { GatewayError } from '@gateway/errors';
import { usedNano } from '../../reserve/store/used-nano';
import { type Queryable, rowsOf, statement } from '../../store/statement';

export interface AccountUseRow {
  day_nano: bigint;
  now_ms: bigint;
}

const GET = statement(
  'get-account-use',
  `SELECT ${usedNano('account_day', 'a.id', 'billing.utc_day(billing.clock())')} AS day_nano,
     billing.epoch_ms(billing.clock()) AS now_ms
   FROM billing.accounts a
   WHERE a.id = $1`,
);

/** Throws `not_found` for an unknown account. */
export async function getAccountUse(on: Queryable, id: string): Promise<AccountUseRow> {
  const [row] = await rowsOf<AccountUseRow>(on, GET, [id]);
  if (!row) throw new GatewayError('not_found');
  return row;
}
