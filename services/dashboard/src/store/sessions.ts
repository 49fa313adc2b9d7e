import { type Pool, withTransaction } from '@gateway/postgres';
import type { Session, User } from '../domain/user';
import { fromUserRow } from './users';

/** A user's oldest logins beyond this number end. */
const MAX_SESSIONS_PER_USER = 50;

export async function insertSession(
  pool: Pool,
  session: { id: string; userId: string; lifetimeSeconds: number },
): Promise<Session> {
  return withTransaction(pool, async (client) => {
    await client.query(
      `DELETE FROM dashboard.sessions WHERE user_id = $1 AND (expires_at <= now() OR id IN (
         SELECT id FROM dashboard.sessions WHERE user_id = $1 ORDER BY created_at DESC OFFSET $2))`,
      [session.userId, MAX_SESSIONS_PER_USER - 1],
    );
    const { rows } = await client.query<{ expires_at: Date }>(
      `INSERT INTO dashboard.sessions (id, user_id, expires_at)
       VALUES ($1, $2, now() + make_interval(secs => $3)) RETURNING expires_at`,
      [session.id, session.userId, session.lifetimeSeconds],
    );
    return { id: session.id, expiresAtMs: rows[0]!.expires_at.getTime(), renewals: 0 };
  });
}

/** Returns a session that has not ended, and its user. */
export async function findSession(
  pool: Pool,
  id: string,
): Promise<{ session: Session; user: User } | undefined> {
  const { rows } = await pool.query(
    `SELECT s.expires_at, s.renewals, u.id, u.account_id, u.email, u.name, u.role, u.operator, u.must_change_password
       FROM dashboard.sessions s JOIN dashboard.users u ON u.id = s.user_id
      WHERE s.id = $1 AND s.expires_at > now()`,
    [id],
  );
  const [row] = rows;
  return (
    row && {
      session: { id, expiresAtMs: row.expires_at.getTime(), renewals: row.renewals },
      user: fromUserRow(row),
    }
  );
}

/**
 * Counts a refresh of the session's token and returns the count. Returns undefined, and ends the session, if the presented
 * token had been refreshed before: one of its two holders is not the user.
 * @param renewals of the presented token; undefined for a token whose issuer did not count, which is accepted
 */
export async function renewSession(
  pool: Pool,
  id: string,
  renewals: number | undefined,
): Promise<number | undefined> {
  const { rows } = await pool.query<{ renewals: number }>(
    `UPDATE dashboard.sessions SET renewals = renewals + 1 WHERE id = $1 AND ($2::int IS NULL OR renewals = $2)
     RETURNING renewals`,
    [id, renewals ?? null],
  );
  if (rows[0]) return rows[0].renewals;
  await deleteSession(pool, id);
  return undefined;
}

export async function deleteSession(pool: Pool, id: string): Promise<void> {
  await pool.query('DELETE FROM dashboard.sessions WHERE id = $1', [id]);
}

/** Ends all logins of a user except one. */
export async function deleteOtherSessions(pool: Pool, userId: string, keptId: string): Promise<void> {
  await pool.query('DELETE FROM dashboard.sessions WHERE user_id = $1 AND id <> $2', [userId, keptId]);
}
