import { GatewayError } from '@gateway/errors';
import { type Pool, type PoolClient, withTransaction } from '@gateway/postgres';
import { lockAccounts } from '../../accounts/store/lock-accounts';
import { type Page, type PageRequest, toPage } from '../../store/page';
import { type Queryable, rowsOf, statement } from '../../store/statement';
import { rethrowOutOfRange } from './refuse-balance';

export interface TopupRow {
  id: string;
  seq: bigint;
  account_id: string;
  amount_nano: bigint;
  status: 'pending' | 'cleared' | 'voided';
  created_at_ms: bigint;
  cleared_at_ms: bigint | null;
  voided_at_ms: bigint | null;
  reference: string;
}

export interface NewTopup {
  readonly id: string;
  readonly accountId: string;
  readonly amountNano: bigint;
  readonly cleared: boolean;
  /** Reference of the payment; may be empty. */
  readonly reference: string;
}

const COLUMNS = `id, seq, account_id, amount_nano, status, billing.epoch_ms(created_at) AS created_at_ms,
  billing.epoch_ms(cleared_at) AS cleared_at_ms, billing.epoch_ms(voided_at) AS voided_at_ms, reference`;

const INSERT = statement(
  'insert-topup',
  `INSERT INTO billing.topups (id, account_id, amount_nano, status, reference) VALUES ($1, $2, $3, 'pending', $4)
   ON CONFLICT (id) DO NOTHING`,
);
const GET = statement('get-topup', `SELECT ${COLUMNS} FROM billing.topups WHERE id = $1`);

/**
 * Records a payment, cleared or pending. A repeated id is the same payment, even with another reference: it is returned
 * unchanged, and refused as `invalid_request` if account or amount differ.
 */
export function createTopup(pool: Pool, topup: NewTopup): Promise<TopupRow> {
  return withTransaction(pool, async (client) => {
    const accounts = await lockAccounts(client, [topup.accountId]);
    if (!accounts.has(topup.accountId)) throw new GatewayError('not_found');
    await rowsOf(client, INSERT, [topup.id, topup.accountId, topup.amountNano, topup.reference]);
    const row = await getTopup(client, topup.id);
    if (row.account_id !== topup.accountId || row.amount_nano !== topup.amountNano) {
      throw invalid('id was used for another top-up');
    }
    return topup.cleared ? clearLocked(client, topup.id) : row;
  });
}

/** Clears a payment: the next call can spend it. Clearing twice pays once. Throws `not_found`, and as `voidTopup` does. */
export const clearTopup = (pool: Pool, id: string): Promise<TopupRow> => endTopup(pool, id, clearLocked);

/**
 * Voids a pending payment, which then never clears. Voiding twice changes nothing. Throws `not_found`, and
 * `invalid_request` for a payment that was cleared.
 */
export const voidTopup = (pool: Pool, id: string): Promise<TopupRow> => endTopup(pool, id, voidLocked);

function endTopup(
  pool: Pool,
  id: string,
  end: (client: PoolClient, id: string) => Promise<TopupRow>,
): Promise<TopupRow> {
  return withTransaction(pool, async (client) => {
    const { account_id: accountId } = await getTopup(client, id);
    await lockAccounts(client, [accountId]);
    return end(client, id);
  });
}

const CLEAR = statement(
  'clear-topup',
  `WITH cleared AS (
     UPDATE billing.topups SET status = 'cleared', cleared_at = billing.clock()
     WHERE id = $1 AND status = 'pending' RETURNING id, account_id, amount_nano
   ), paid AS (
     UPDATE billing.accounts a SET balance_nano = a.balance_nano + c.amount_nano
     FROM cleared c WHERE a.id = c.account_id
   )
   INSERT INTO billing.ledger (account_id, kind, amount_nano, reference)
   SELECT account_id, 'topup', amount_nano, id FROM cleared`,
);

async function clearLocked(client: PoolClient, id: string): Promise<TopupRow> {
  await rowsOf(client, CLEAR, [id]).catch(rethrowOutOfRange);
  const row = await getTopup(client, id);
  if (row.status === 'voided') throw invalid('the top-up was voided; make a new one');
  return row;
}

const VOID = statement(
  'void-topup',
  `UPDATE billing.topups SET status = 'voided', voided_at = billing.clock() WHERE id = $1 AND status = 'pending'`,
);

async function voidLocked(client: PoolClient, id: string): Promise<TopupRow> {
  await rowsOf(client, VOID, [id]);
  const row = await getTopup(client, id);
  if (row.status === 'cleared') throw invalid('the top-up was cleared; correct the balance by an adjustment');
  return row;
}

const invalid = (detail: string) => new GatewayError('invalid_request', { detail });

async function getTopup(on: Queryable, id: string): Promise<TopupRow> {
  const [row] = await rowsOf<TopupRow>(on, GET, [id]);
  if (!row) throw new GatewayError('not_found');
  return row;
}

const LIST = statement(
  'list-topups',
  `SELECT ${COLUMNS} FROM billing.topups WHERE account_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3`,
);

export async function listTopups(
  on: Queryable,
  accountId: string,
  page: PageRequest,
): Promise<Page<TopupRow>> {
  return toPage(await rowsOf<TopupRow>(on, LIST, [accountId, page.before, page.limit + 1]), page.limit);
}

const LIST_BY_STATUS = statement(
  'list-topups-by-status',
  `SELECT ${COLUMNS} FROM billing.topups WHERE status = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3`,
);

/** Lists top-ups of all accounts. */
export async function listTopupsByStatus(
  on: Queryable,
  status: TopupRow['status'],
  page: PageRequest,
): Promise<Page<TopupRow>> {
  return toPage(
    await rowsOf<TopupRow>(on, LIST_BY_STATUS, [status, page.before, page.limit + 1]),
    page.limit,
  );
}
