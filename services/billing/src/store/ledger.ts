import { type Page, type PageRequest, toPage } from './page';
import { type Queryable, rowsOf, statement } from './statement';

export interface LedgerRow {
  seq: bigint;
  account_id: string;
  kind: 'charge' | 'topup' | 'adjustment';
  amount_nano: bigint;
  reference: string;
  created_at_ms: bigint;
}

/** What makes a `LedgerRow`. */
export const LEDGER_COLUMNS = `seq, account_id, kind, amount_nano, reference,
  billing.epoch_ms(created_at) AS created_at_ms`;

const LIST = statement(
  'list-ledger',
  `SELECT ${LEDGER_COLUMNS}
   FROM billing.ledger WHERE account_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3`,
);

export async function listLedger(
  on: Queryable,
  accountId: string,
  page: PageRequest,
): Promise<Page<LedgerRow>> {
  return toPage(await rowsOf<LedgerRow>(on, LIST, [accountId, page.before, page.limit + 1]), page.limit);
}
