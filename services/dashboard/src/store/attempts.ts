import { createHash } from 'node:crypto';
import type { Pool } from '@gateway/postgres';

/** Limits the attempts in a window of time, counted per subject, such as an address. */
export interface AttemptLimit {
  readonly name: string;
  readonly maxAttempts: number;
  readonly windowSeconds: number;
}

/** Expired counts that each attempt deletes, so that the size of the table follows the traffic. */
const SWEEP_ROWS = 10;

/** Counts an attempt; returns the seconds to wait if it exceeds the limit, else undefined. */
export async function countAttempt(
  pool: Pool,
  limit: AttemptLimit,
  subject: string,
): Promise<number | undefined> {
  await pool.query(
    `DELETE FROM dashboard.attempts WHERE subject IN (
       SELECT subject FROM dashboard.attempts WHERE window_ends_at <= now()
       LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [SWEEP_ROWS],
  );
  const { rows } = await pool.query<{ tries: number; wait_seconds: number }>(
    `INSERT INTO dashboard.attempts AS a (subject, tries, window_ends_at)
     VALUES ($1, 1, now() + make_interval(secs => $2))
     ON CONFLICT (subject) DO UPDATE SET
       tries = CASE WHEN a.window_ends_at <= now() THEN 1 ELSE least(a.tries, $3) + 1 END,
       window_ends_at = CASE WHEN a.window_ends_at <= now() THEN excluded.window_ends_at
                             ELSE a.window_ends_at END
     RETURNING tries, greatest(1, ceil(extract(epoch FROM window_ends_at - now())))::int AS wait_seconds`,
    [digest(limit, subject), limit.windowSeconds, limit.maxAttempts],
  );
  const { tries, wait_seconds } = rows[0]!;
  return tries > limit.maxAttempts ? wait_seconds : undefined;
}

/** Uncounts an attempt that succeeded. */
export async function uncountAttempt(pool: Pool, limit: AttemptLimit, subject: string): Promise<void> {
  await pool.query('UPDATE dashboard.attempts SET tries = greatest(0, tries - 1) WHERE subject = $1', [
    digest(limit, subject),
  ]);
}

export async function forgetAttempts(pool: Pool, limit: AttemptLimit, subject: string): Promise<void> {
  await pool.query('DELETE FROM dashboard.attempts WHERE subject = $1', [digest(limit, subject)]);
}

const digest = (limit: AttemptLimit, subject: string): Buffer =>
  createHash('sha256').update(`${limit.name}\n${subject}`).digest();
