import type { Pool } from '@gateway/postgres';

/** An operator whose search has more results should refine it. */
const MAX_ACCOUNTS = 200;

/** Returns the accounts of users whose email contains the text, latest first. */
export async function findAccountsByEmail(pool: Pool, part: string): Promise<string[]> {
  const { rows } = await pool.query<{ account_id: string }>(
    `SELECT account_id FROM dashboard.users WHERE position(lower($1) in email) > 0
      GROUP BY account_id ORDER BY account_id DESC LIMIT $2`,
    [part, MAX_ACCOUNTS],
  );
  return rows.map(({ account_id }) => account_id);
}

/** Returns the email of each account's first owner. */
export async function findOwnerEmails(
  pool: Pool,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<{ account_id: string; email: string }>(
    `SELECT DISTINCT ON (account_id) account_id, email FROM dashboard.users
      WHERE account_id = ANY($1) AND role = 'owner' ORDER BY account_id, id`,
    [accountIds],
  );
  return new Map(rows.map(({ account_id, email }) => [account_id, email]));
}
