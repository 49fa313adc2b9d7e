import { type Pool, type PoolClient, withTransaction } from '@gateway/postgres';
import type { User } from '../domain/user';

interface UserRow extends Omit<User, 'accountId' | 'mustChangePassword'> {
  readonly account_id: string;
  readonly must_change_password: boolean;
}

const COLUMNS = 'id, account_id, email, name, role, operator, must_change_password';

export function fromUserRow(row: UserRow): User {
  return {
    id: row.id,
    accountId: row.account_id,
    email: row.email,
    name: row.name,
    role: row.role,
    operator: row.operator,
    mustChangePassword: row.must_change_password,
  };
}

export async function findUserByEmail(
  pool: Pool,
  email: string,
): Promise<{ user: User; passwordHash: string } | undefined> {
  const { rows } = await pool.query<UserRow & { password_hash: string }>(
    `SELECT ${COLUMNS}, password_hash FROM dashboard.users WHERE email = $1`,
    [email],
  );
  return rows[0] && { user: fromUserRow(rows[0]), passwordHash: rows[0].password_hash };
}

/** Age at which an interrupted registration is deleted; its account is empty and has no user. */
const ABANDONED_AFTER_SECONDS = 24 * 60 * 60;
/** Abandoned registrations that each new one deletes, so that the size of the table follows the traffic. */
const SWEEP_ROWS = 10;

/**
 * Returns the account id for a registration: that of an earlier, interrupted attempt with the same email, if there is one,
 * whose age restarts.
 */
export async function claimAccountId(pool: Pool, email: string, freshId: string): Promise<string> {
  await pool.query(
    `DELETE FROM dashboard.registrations WHERE email IN (
       SELECT email FROM dashboard.registrations
        WHERE created_at <= now() - make_interval(secs => $1) AND email <> $2
        LIMIT $3 FOR UPDATE SKIP LOCKED)`,
    [ABANDONED_AFTER_SECONDS, email, SWEEP_ROWS],
  );
  const { rows } = await pool.query<{ account_id: string }>(
    `INSERT INTO dashboard.registrations (email, account_id) VALUES ($1, $2)
     ON CONFLICT (email) DO UPDATE SET created_at = now()
     RETURNING account_id`,
    [email, freshId],
  );
  return rows[0]!.account_id;
}

/**
 * Completes the registration with its user; undefined if a concurrent call has just done so.
 * @param before called in the transaction; what it throws undoes the registration
 */
export async function insertUser(
  pool: Pool,
  user: User,
  passwordHash: string,
  before: (client: PoolClient) => Promise<void> = async () => {},
): Promise<User | undefined> {
  return withTransaction(pool, async (client) => {
    await before(client);
    await client.query('DELETE FROM dashboard.registrations WHERE email = $1', [user.email]);
    const { rows } = await client.query<UserRow>(
      `INSERT INTO dashboard.users (id, account_id, email, name, role, operator, password_hash, must_change_password)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (email) DO NOTHING
       RETURNING ${COLUMNS}`,
      [
        user.id,
        user.accountId,
        user.email,
        user.name,
        user.role,
        user.operator,
        passwordHash,
        user.mustChangePassword,
      ],
    );
    return rows[0] && fromUserRow(rows[0]);
  });
}

export async function updatePassword(pool: Pool, userId: string, passwordHash: string): Promise<void> {
  await pool.query(
    'UPDATE dashboard.users SET password_hash = $2, must_change_password = false WHERE id = $1',
    [userId, passwordHash],
  );
}
