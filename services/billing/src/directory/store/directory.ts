import { GatewayError } from '@gateway/errors';
import { type Queryable, rowsOf, statement } from '../../store/statement';

const FIND = statement(
  'find-cell',
  "SELECT coalesce((SELECT cell FROM billing.cell_accounts WHERE account_id = $1), '') AS cell",
);

/** Returns the cell of an account; empty: home. */
export async function findCell(on: Queryable, accountId: string): Promise<string> {
  const [row] = await rowsOf<{ cell: string }>(on, FIND, [accountId]);
  return row!.cell;
}

const ASSIGN = statement(
  'assign-cell',
  `INSERT INTO billing.cell_accounts (account_id, cell)
   SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM billing.accounts WHERE id = $1)
   ON CONFLICT DO NOTHING`,
);

/** Puts an account that is not in the home cell into another one, and returns its cell; a repetition changes nothing. */
export async function assignCell(on: Queryable, accountId: string, cell: string): Promise<string> {
  if (cell !== '') await rowsOf(on, ASSIGN, [accountId, cell]);
  return findCell(on, accountId);
}

const ADD_KEY = statement(
  'add-cell-key',
  `WITH account AS (SELECT account_id FROM billing.cell_accounts WHERE account_id = $2),
     added AS (INSERT INTO billing.cell_keys (mac, account_id) SELECT $1, account_id FROM account ON CONFLICT DO NOTHING)
   SELECT FROM account`,
);

/** @throws GatewayError `not_found` for an account that is not in the directory */
export async function addKeyValue(on: Queryable, mac: Buffer, accountId: string): Promise<void> {
  const [row] = await rowsOf(on, ADD_KEY, [mac, accountId]);
  if (!row) throw new GatewayError('not_found');
}

const FIND_BY_KEY = statement(
  'find-cell-of-key',
  `SELECT cell FROM billing.cell_keys JOIN billing.cell_accounts USING (account_id) WHERE mac = $1`,
);

/** Finds the cell of a key by the MACs of one value; undefined if the directory doesn't have it. */
export async function findCellOfKey(on: Queryable, macs: readonly Buffer[]): Promise<string | undefined> {
  // One after the other, for the reason that `findKeyByMacs` has.
  for (const mac of macs) {
    const [row] = await rowsOf<{ cell: string }>(on, FIND_BY_KEY, [mac]);
    if (row) return row.cell;
  }
  return undefined;
}
