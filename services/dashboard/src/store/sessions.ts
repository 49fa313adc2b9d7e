import { type Pool, withTransaction } from '@gateway/runtime';
import type { Session, User } from '../domain/user';
import { fromUserRow } from './users';

/** Older logins of a user beyond this many end. */
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
    return { id: session.id, expiresAtMs: rows[0]!.expires_at.getTime() };
  });
}

/** A session that is not over, and its user. */
export async function findSession(
  pool: Pool,
  id: string,
): Promise<{ session: Session; user: User } | undefined> {
  const { rows } = await pool.query(
    `SELECT s.expires_at, u.id, u.account_id, u.email, u.name, u.role, u.operator
       FROM dashboard.sessions s JOIN dashboard.users u ON u.id = s.user_id
      WHERE s.id = $1 AND s.expires_at > now()`,
    [id],
  );
  const [row] = rows;
  return row && { session: { id, expiresAtMs: row.expires_at.getTime() }, user: fromUserRow(row) };
}

export async function deleteSession(pool: Pool, id: string): Promise<void> {
  await pool.query('DELETE FROM dashboard.sessions WHERE id = $1', [id]);
}

/** All logins of a user but one. */
export async function deleteOtherSessions(pool: Pool, userId: string, keptId: string): Promise<void> {
  await pool.query('DELETE FROM dashboard.sessions WHERE user_id = $1 AND id <> $2', [userId, keptId]);
}
