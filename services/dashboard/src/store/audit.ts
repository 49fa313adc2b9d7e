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
  /** `unknown`: the change is in progress, or was interrupted. */
  outcome: 'done' | 'refused' | 'unknown';
  /** Of a refused change. */
  error_code: string | null;
  request_id: string;
  address: string | null;
  created_at: Date;
}

/** The end of a change. */
export type AuditOutcome =
  | { readonly outcome: 'done'; readonly accountId: string | null; readonly subject: string | null }
  | { readonly outcome: 'refused'; readonly errorCode: string; readonly subject: string | null };

/** @param done false for a change, whose outcome follows */
export async function insertAuditEntry(
  pool: Pool,
  entry: AuditEntry,
  { done, subject = null }: { readonly done: boolean; readonly subject?: string | null },
): Promise<string> {
  const { rows } = await pool.query<{ seq: string }>(
    `INSERT INTO dashboard.audit_entries
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

export async function insertAuditOutcome(pool: Pool, seq: string, end: AuditOutcome): Promise<void> {
  const accountId = end.outcome === 'done' ? end.accountId : null;
  const errorCode = end.outcome === 'refused' ? end.errorCode : null;
  await pool.query(
    `INSERT INTO dashboard.audit_outcomes (seq, outcome, error_code, account_id, subject)
     VALUES ($1, $2, $3, $4, $5)`,
    [seq, end.outcome, errorCode, accountId, end.subject],
  );
}

/** Above every number of an entry. */
export const LAST_SEQ = String(2n ** 63n - 1n);

/** Which entries to read. */
export interface AuditFilter {
  /** Undefined: all accounts. */
  readonly accountId?: string | undefined;
  /** From this time; undefined: since the first entry. */
  readonly fromMs?: number | undefined;
  /** Before this time; undefined: up to now. */
  readonly toMs?: number | undefined;
}

const IN_RANGE = `($3::timestamptz IS NULL OR e.created_at >= $3) AND ($4::timestamptz IS NULL OR e.created_at < $4)`;

/** Selects the newest $2 entries before $1, of the account $5 if it is not all. An outcome names an account that its entry lacks. */
const numbersOf = (accountId: string | undefined) =>
  accountId === undefined
    ? `SELECT e.seq FROM dashboard.audit_entries e WHERE e.seq < $1 AND ${IN_RANGE} ORDER BY e.seq DESC LIMIT $2`
    : `(SELECT e.seq FROM dashboard.audit_entries e WHERE e.account_id = $5 AND e.seq < $1 AND ${IN_RANGE}
        ORDER BY e.seq DESC LIMIT $2)
       UNION ALL
       (SELECT o.seq FROM dashboard.audit_outcomes o JOIN dashboard.audit_entries e USING (seq)
        WHERE o.account_id = $5 AND o.seq < $1 AND ${IN_RANGE} ORDER BY o.seq DESC LIMIT $2)`;

const parametersOf = ({ accountId, fromMs, toMs }: AuditFilter, before: string, limit: number) => [
  before,
  limit,
  fromMs === undefined ? null : new Date(fromMs),
  toMs === undefined ? null : new Date(toMs),
  ...(accountId === undefined ? [] : [accountId]),
];

/** Newest first. */
export async function listAudit(
  pool: Pool,
  filter: AuditFilter,
  { limit, before }: { readonly limit: number; readonly before: string },
): Promise<{ rows: AuditRow[]; nextCursor: string }> {
  const { rows } = await pool.query<AuditRow>(
    `SELECT seq, coalesce(e.account_id, o.account_id) AS account_id, actor_id, actor_email, by_operator, action,
       coalesce(e.subject, o.subject) AS subject, changes,
       CASE WHEN done THEN 'done' ELSE coalesce(o.outcome, 'unknown') END AS outcome,
       CASE WHEN NOT done THEN error_code END AS error_code, request_id, e.created_at, address
     FROM (${numbersOf(filter.accountId)}) AS listed
       JOIN dashboard.audit_entries e USING (seq) LEFT JOIN dashboard.audit_outcomes o USING (seq)
     ORDER BY seq DESC LIMIT $2`,
    parametersOf(filter, before, limit + 1),
  );
  const page = rows.slice(0, limit);
  return { rows: page, nextCursor: rows.length > limit ? String(page.at(-1)?.seq ?? '') : '' };
}

/** Returns the number of entries, at most `limit`. */
export async function countAudit(pool: Pool, filter: AuditFilter, limit: number): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int FROM (${numbersOf(filter.accountId)}) AS listed`,
    parametersOf(filter, LAST_SEQ, limit),
  );
  return Math.min(rows[0]!.count, limit);
}

/** Whether a user with this email has logged in from this address within 90 days. */
export async function hasLoggedInFrom(pool: Pool, email: string, address: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM dashboard.audit_entries WHERE actor_email = $1 AND address = $2 AND action = 'login.succeeded'
       AND created_at > now() - interval '90 days' LIMIT 1`,
    [email, address],
  );
  return rowCount === 1;
}
