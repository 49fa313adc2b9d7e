import { GatewayError } from '@gateway/errors';
import { type Pool, withTransaction } from '@gateway/postgres';
import { lockAccounts } from '../../accounts/store/lock-accounts';
import { rowsOf, statement } from '../../store/statement';
import { LEDGER_COLUMNS, type LedgerRow } from './list-ledger';
import { rethrowOutOfRange } from './refuse-balance';

export interface NewAdjustment {
  readonly id: string;
  readonly accountId: string;
  readonly amountNano: bigint;
  readonly reason: string;
}

const ADJUST = statement(
  'adjust-balance',
  `WITH new AS (
     INSERT INTO billing.adjustments (id, account_id, amount_nano, reason) VALUES ($1, $2, $3, $4)
     ON CONFLICT (id) DO NOTHING RETURNING id, account_id, amount_nano
   ), adjusted AS (
     UPDATE billing.accounts a SET balance_nano = a.balance_nano + n.amount_nano
     FROM new n WHERE a.id = n.account_id
   )
   INSERT INTO billing.ledger (account_id, kind, amount_nano, reference)
   SELECT account_id, 'adjustment', amount_nano, id FROM new`,
);
const GET = statement(
  'get-adjustment',
  `SELECT ${LEDGER_COLUMNS} FROM billing.ledger l WHERE l.kind = 'adjustment' AND l.reference = $1`,
);

/**
 * Corrects a balance. The balance may become negative; calls are refused while it is. A repeated id is the same adjustment,
 * and refused as `invalid_request` when account or amount differ, or the balance would be out of range. Throws `not_found`.
 */
export function createAdjustment(pool: Pool, adjustment: NewAdjustment): Promise<LedgerRow> {
  const { id, accountId, amountNano, reason } = adjustment;
  return withTransaction(pool, async (client) => {
    const accounts = await lockAccounts(client, [accountId]);
    if (!accounts.has(accountId)) throw new GatewayError('not_found');
    await rowsOf(client, ADJUST, [id, accountId, amountNano, reason]).catch(rethrowOutOfRange);
    const [row] = await rowsOf<LedgerRow>(client, GET, [id]);
    if (row?.account_id !== accountId || row.amount_nano !== amountNano) {
      throw new GatewayError('invalid_request', { detail: 'id was used for another adjustment' });
    }
    return row;
  });
}
