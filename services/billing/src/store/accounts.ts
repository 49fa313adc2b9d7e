import { GatewayError } from '@gateway/proto';
import { type Queryable, rowsOf, statement } from './statement';

export interface AccountRow {
  id: string;
  name: string;
  status: 'active' | 'suspended';
  balance_nano: bigint;
  held_nano: bigint;
  daily_limit_nano: bigint | null;
  created_at_ms: bigint;
}

const COLUMNS = `id, name, status, balance_nano, held_nano, daily_limit_nano,
  billing.epoch_ms(created_at) AS created_at_ms`;

const INSERT = statement(
  'insert-account',
  `INSERT INTO billing.accounts (id, name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`,
);
const GET = statement('get-account', `SELECT ${COLUMNS} FROM billing.accounts WHERE id = $1`);

/** Creates the account unless it is there. */
export async function createAccount(on: Queryable, id: string, name: string): Promise<AccountRow> {
  await rowsOf(on, INSERT, [id, name]);
  return getAccount(on, id);
}

/** Throws `not_found`. */
export async function getAccount(on: Queryable, id: string): Promise<AccountRow> {
  const [row] = await rowsOf<AccountRow>(on, GET, [id]);
  if (!row) throw new GatewayError('not_found');
  return row;
}
