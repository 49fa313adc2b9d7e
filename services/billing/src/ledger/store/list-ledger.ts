import { type Page, type PageRequest, toPage } from '../../store/page';
import { type Queryable, rowsOf, statement } from '../../store/statement';

export interface LedgerRow {
  seq: bigint;
  account_id: string;
  kind: 'charge' | 'topup' | 'adjustment';
  amount_nano: bigint;
  reference: string;
  created_at_ms: bigint;
  /** Reason of the adjustment or reference of the payment; may be empty. */
  note: string;
  /** For the charge of a task; otherwise empty. */
  task_id: string;
}

/** Selects a `LedgerRow` from an entry `l`. */
export const LEDGER_COLUMNS = `l.seq, l.account_id, l.kind, l.amount_nano, l.reference, l.task_id,
  billing.epoch_ms(l.created_at) AS created_at_ms,
  coalesce(CASE l.kind
    WHEN 'adjustment' THEN (SELECT a.reason FROM billing.adjustments a WHERE a.id = l.reference)
    WHEN 'topup' THEN (SELECT t.reference FROM billing.topups t WHERE t.id = l.reference) END, '') AS note`;

const LIST = statement(
  'list-ledger',
  `SELECT ${LEDGER_COLUMNS}
   FROM billing.ledger l WHERE l.account_id = $1 AND l.seq < $2 ORDER BY l.seq DESC LIMIT $3`,
);

export async function listLedger(
  on: Queryable,
  accountId: string,
  page: PageRequest,
): Promise<Page<LedgerRow>> {
  return toPage(await rowsOf<LedgerRow>(on, LIST, [accountId, page.before, page.limit + 1]), page.limit);
}
