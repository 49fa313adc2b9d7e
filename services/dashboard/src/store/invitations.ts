import { createHash, randomBytes, randomUUIDv7 } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { Pool, PoolClient } from '@gateway/postgres';
import { assertId } from '../domain/known-id';

export interface Invitation {
  readonly id: string;
  /** Null: any email. */
  readonly email: string | null;
  readonly status: 'open' | 'used' | 'expired' | 'revoked';
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The account that was registered. */
  readonly accountId: string | null;
}

interface Row {
  readonly id: string;
  readonly email: string | null;
  readonly status: Invitation['status'];
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly account_id: string | null;
}

const COLUMNS = `id, email, created_at, expires_at, account_id, CASE WHEN used_at IS NOT NULL THEN 'used'
  WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= now() THEN 'expired' ELSE 'open' END AS status`;
const IS_OPEN = 'used_at IS NULL AND revoked_at IS NULL AND expires_at > now()';
const CODE_BYTES = 18;
const MAX_LISTED = 1_000;

const fromRow = ({ created_at, expires_at, account_id, ...row }: Row): Invitation => ({
  ...row,
  createdAt: created_at,
  expiresAt: expires_at,
  accountId: account_id,
});

const digestOf = (code: string): Buffer => createHash('sha256').update(code).digest();

/** Returns the invitation and its code, which is not stored. */
export async function createInvitation(
  pool: Pool,
  {
    email,
    days,
    createdBy,
  }: { readonly email: string | null; readonly days: number; readonly createdBy: string },
): Promise<{ invitation: Invitation; code: string }> {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const { rows } = await pool.query<Row>(
    `INSERT INTO dashboard.invitations (id, digest, email, created_by, expires_at)
     VALUES ($1, $2, $3, $4, now() + make_interval(days => $5)) RETURNING ${COLUMNS}`,
    [`inv_${randomUUIDv7()}`, digestOf(code), email, createdBy, days],
  );
  return { invitation: fromRow(rows[0]!), code };
}

/** Newest first, at most 1,000. */
export async function listInvitations(pool: Pool): Promise<Invitation[]> {
  const { rows } = await pool.query<Row>(
    `SELECT ${COLUMNS} FROM dashboard.invitations ORDER BY id DESC LIMIT ${MAX_LISTED}`,
  );
  return rows.map(fromRow);
}

/** Throws `not_found`, and `invalid_request` for an invitation that was used. */
export async function revokeInvitation(pool: Pool, id: string): Promise<Invitation> {
  assertId(id);
  const { rows } = await pool.query<Row>(
    `UPDATE dashboard.invitations SET revoked_at = coalesce(revoked_at, now())
     WHERE id = $1 AND used_at IS NULL RETURNING ${COLUMNS}`,
    [id],
  );
  if (rows[0]) return fromRow(rows[0]);
  const { rowCount } = await pool.query('SELECT FROM dashboard.invitations WHERE id = $1', [id]);
  if (rowCount === 0) throw new GatewayError('not_found');
  throw new GatewayError('invalid_request', { detail: 'the invitation was used' });
}

/** Throws `invalid_request` if the code can't be used by this email. */
export async function checkInvitation(pool: Pool, code: string, email: string): Promise<void> {
  const { rowCount } = await pool.query(
    `SELECT FROM dashboard.invitations WHERE digest = $1 AND (email IS NULL OR email = $2) AND ${IS_OPEN}`,
    [digestOf(code), email],
  );
  if (rowCount !== 1) throw invalidInvitation();
}

/** Uses the code for a new account. Throws as `checkInvitation`. */
export async function useInvitation(
  client: PoolClient,
  code: string,
  { email, accountId }: { readonly email: string; readonly accountId: string },
): Promise<void> {
  const { rowCount } = await client.query(
    `UPDATE dashboard.invitations SET used_at = now(), account_id = $3
     WHERE digest = $1 AND (email IS NULL OR email = $2) AND ${IS_OPEN}`,
    [digestOf(code), email, accountId],
  );
  if (rowCount !== 1) throw invalidInvitation();
}

const invalidInvitation = () =>
  new GatewayError('invalid_request', {
    detail: 'invitation: unknown, used, revoked, expired, or for another email',
  });
