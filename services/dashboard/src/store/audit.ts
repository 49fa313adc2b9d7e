import type { Pool } from '@gateway/postgres';

export interface AuditEntry {
  /** The account concerned; null: the whole gateway. */
  readonly accountId: string | null;
  readonly actorId: string;
  readonly actorEmail: string;
  readonly byOperator: boolean;
  readonly action: string;
  /** The requested change, as JSON. */
  readonly changes: string | null;
  readonly requestId: string;
  /** Of the client. */
  readonly address: string;
}

export interface AuditRow {
  seq: bigint | string;
  account_id: string | null;
  actor_id: string;
  actor_email: string;
  by_operator: boolean;
  action: string;
  subject: string | null;
  changes: string | null;
  done: boolean;
  request_id: string;
  address: string | null;
  created_at: Date;
}

/** @param done false while the change is in progress */
export async function insertAuditEntry(
  pool: Pool,
  entry: AuditEntry,
  { done, subject = null }: { readonly done: boolean; readonly subject?: string | null },
): Promise<string> {
  const { rows } = await pool.query<{ seq: string }>(
    `INSERT INTO dashboard.audit
       (account_id, actor_id, actor_email, by_operator, action, changes, request_id, address, done, subject)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING seq::text`,
    [
      entry.accountId,
      entry.actorId,
      entry.actorEmail,
      entry.byOperator,
      entry.action,
      entry.changes,
      entry.requestId,
      entry.address,
      done,
      subject,
    ],
  );
  return rows[0]!.seq;
}

/** The change was made. */
export async function completeAuditEntry(
  pool: Pool,
  seq: string,
  { accountId, subject }: { readonly accountId: string | null; readonly subject: string | null },
): Promise<void> {
  await pool.query(
    'UPDATE dashboard.audit SET done = true, account_id = coalesce($2, account_id), subject = $3 WHERE seq = $1',
    [seq, accountId, subject],
  );
}

/** The change was refused and had no effect. */
export async function deleteAuditEntry(pool: Pool, seq: string): Promise<void> {
  await pool.query('DELETE FROM dashboard.audit WHERE seq = $1', [seq]);
}

/** Newest first. @param accountId undefined: all accounts */
export async function listAudit(
  pool: Pool,
  accountId: string | undefined,
  { limit, before }: { readonly limit: number; readonly before: string },
): Promise<{ rows: AuditRow[]; nextCursor: string }> {
  const { rows } = await pool.query<AuditRow>(
    `SELECT * FROM dashboard.audit WHERE seq < $1 ${accountId === undefined ? '' : 'AND account_id = $3'}
     ORDER BY seq DESC LIMIT $2`,
    [before, limit + 1, ...(accountId === undefined ? [] : [accountId])],
  );
  const page = rows.slice(0, limit);
  return { rows: page, nextCursor: rows.length > limit ? String(page.at(-1)?.seq ?? '') : '' };
}
