import { GatewayError } from '@gateway/errors';
import { type Pool, type PoolClient, withTransaction } from '@gateway/postgres';
import { assertId } from '../domain/known-id';

export interface Operator {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly accountId: string;
  /** The first password has not been changed yet. */
  readonly mustChangePassword: boolean;
}

interface Row extends Omit<Operator, 'accountId' | 'mustChangePassword'> {
  readonly account_id: string;
  readonly must_change_password: boolean;
}

const COLUMNS = 'id, email, name, account_id, must_change_password';
const fromRow = ({ account_id, must_change_password, ...row }: Row): Operator => ({
  ...row,
  accountId: account_id,
  mustChangePassword: must_change_password,
});

export async function listOperators(pool: Pool): Promise<Operator[]> {
  const { rows } = await pool.query<Row>(`SELECT ${COLUMNS} FROM dashboard.users WHERE operator ORDER BY id`);
  return rows.map(fromRow);
}

/** Whether there is an operator with a password of their own; a first one may have been given to nobody. */
export async function hasOperator(on: Pool | PoolClient): Promise<boolean> {
  const { rowCount } = await on.query(
    'SELECT FROM dashboard.users WHERE operator AND NOT must_change_password LIMIT 1',
  );
  return rowCount === 1;
}

/** The user keeps the account. Throws `not_found`, and `invalid_request` for the last operator who can log in. */
export async function demoteOperator(pool: Pool, id: string): Promise<Operator> {
  assertId(id);
  return withTransaction(pool, async (client) => {
    await lockOperators(client);
    const { rows } = await client.query<Row>(
      `UPDATE dashboard.users SET operator = false WHERE id = $1 AND operator RETURNING ${COLUMNS}`,
      [id],
    );
    if (!rows[0]) throw new GatewayError('not_found');
    await requireOperator(client);
    return fromRow(rows[0]);
  });
}

/** One change of operators at a time, so that two can't remove each other. It must be the transaction's first lock. */
export async function lockOperators(client: PoolClient): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('operators', 0))`);
}

/** Throws `invalid_request` if no operator with a password of their own is left. */
export async function requireOperator(client: PoolClient): Promise<void> {
  if (await hasOperator(client)) return;
  throw new GatewayError('invalid_request', {
    detail: 'the gateway needs an operator who has changed the first password',
  });
}
