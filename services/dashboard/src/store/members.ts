import { GatewayError } from '@gateway/errors';
import { type Pool, type PoolClient, withTransaction } from '@gateway/postgres';
import type { Role } from '../domain/access';
import { assertId } from '../domain/known-id';
import type { User } from '../domain/user';
import { lockOperators, requireOperator } from './operators';

export interface Member extends Pick<User, 'id' | 'email' | 'name' | 'role'> {
  readonly createdAtMs: number;
}

interface MemberRow extends Omit<Member, 'createdAtMs'> {
  readonly created_at: Date;
}

const COLUMNS = 'id, email, name, role, created_at';
const MAX_MEMBERS = 100;

const fromRow = ({ created_at, ...row }: MemberRow): Member => ({
  ...row,
  createdAtMs: created_at.getTime(),
});

/** Ordered by id, which is the order of creation. */
export async function listMembers(
  pool: Pool,
  accountId: string,
  { limit, cursor }: { limit: number; cursor: string },
): Promise<{ members: Member[]; nextCursor: string }> {
  if (!/^[\w-]{0,64}$/.test(cursor)) {
    throw new GatewayError('invalid_request', { detail: 'cursor: invalid cursor' });
  }
  const { rows } = await pool.query<MemberRow>(
    `SELECT ${COLUMNS} FROM dashboard.users WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
    [accountId, cursor, limit + 1],
  );
  const members = rows.slice(0, limit).map(fromRow);
  return { members, nextCursor: rows.length > limit ? (members.at(-1)?.id ?? '') : '' };
}

export interface NewMember extends Omit<User, 'operator' | 'mustChangePassword'> {
  readonly passwordHash: string;
}

/** Throws `email_taken`, and `invalid_request` if the account has the maximum number of members. */
export function insertMember(pool: Pool, member: NewMember): Promise<Member> {
  return withTransaction(pool, async (client) => {
    const members = await lockMembers(client, member.accountId);
    if (members.length >= MAX_MEMBERS) {
      throw new GatewayError('invalid_request', { detail: `an account has at most ${MAX_MEMBERS} members` });
    }
    const { rows } = await client.query<MemberRow>(
      `INSERT INTO dashboard.users (id, account_id, email, name, role, password_hash, must_change_password)
       VALUES ($1, $2, $3, $4, $5, $6, true) ON CONFLICT (email) DO NOTHING RETURNING ${COLUMNS}`,
      [member.id, member.accountId, member.email, member.name, member.role, member.passwordHash],
    );
    if (!rows[0]) throw new GatewayError('email_taken');
    return fromRow(rows[0]);
  });
}

/** Throws `not_found`, and `invalid_request` if the account would have no owner. */
export function updateMember(
  pool: Pool,
  accountId: string,
  id: string,
  changes: { readonly name?: string | undefined; readonly role?: Role | undefined },
): Promise<Member> {
  return withTransaction(pool, async (client) => {
    const member = requireMember(await lockMembers(client, accountId), id, changes.role);
    const { rows } = await client.query<MemberRow>(
      `UPDATE dashboard.users SET name = $2, role = $3 WHERE id = $1 RETURNING ${COLUMNS}`,
      [id, changes.name ?? member.name, changes.role ?? member.role],
    );
    return fromRow(rows[0]!);
  });
}

/** Ends the member's logins too. Throws as `updateMember` does, and `invalid_request` for the last operator of the gateway. */
export function deleteMember(pool: Pool, accountId: string, id: string): Promise<Member> {
  return withTransaction(pool, async (client) => {
    await lockOperators(client);
    const member = requireMember(await lockMembers(client, accountId), id, 'none');
    await client.query('DELETE FROM dashboard.sessions WHERE user_id = $1', [id]);
    const deleted = await client.query<{ operator: boolean }>(
      'DELETE FROM dashboard.users WHERE id = $1 RETURNING operator',
      [id],
    );
    if (deleted.rows[0]?.operator) await requireOperator(client);
    await client.query(
      'INSERT INTO dashboard.removed_members (id, account_id, email, name) VALUES ($1, $2, $3, $4)',
      [id, accountId, member.email, member.name],
    );
    return fromRow(member);
  });
}

export interface RemovedMember extends Pick<User, 'id' | 'email' | 'name'> {
  readonly removedAtMs: number;
}

const MAX_REMOVED = 1_000;

/** Returns the members who were removed, latest first, at most 1,000. */
export async function listRemovedMembers(pool: Pool, accountId: string): Promise<RemovedMember[]> {
  const { rows } = await pool.query<{ id: string; email: string; name: string; removed_at: Date }>(
    `SELECT id, email, name, removed_at FROM dashboard.removed_members WHERE account_id = $1
     ORDER BY removed_at DESC LIMIT $2`,
    [accountId, MAX_REMOVED],
  );
  return rows.map(({ removed_at, ...row }) => ({ ...row, removedAtMs: removed_at.getTime() }));
}

/** Throws `not_found`. */
export async function findMember(
  pool: Pool,
  accountId: string,
  id: string,
): Promise<{ member: Member; isOperator: boolean }> {
  assertId(id);
  const { rows } = await pool.query<MemberRow & { operator: boolean }>(
    `SELECT ${COLUMNS}, operator FROM dashboard.users WHERE account_id = $1 AND id = $2`,
    [accountId, id],
  );
  if (!rows[0]) throw new GatewayError('not_found');
  const { operator, ...row } = rows[0];
  return { member: fromRow(row), isOperator: operator };
}

export interface NewPassword {
  readonly accountId: string;
  readonly id: string;
  readonly passwordHash: string;
  /** Whether an operator's password may be replaced. */
  readonly ofOperators: boolean;
}

/** Ends all logins with the old password. Throws `not_found`. */
export function replacePassword(
  pool: Pool,
  { accountId, id, passwordHash, ofOperators }: NewPassword,
): Promise<Member> {
  return withTransaction(pool, async (client) => {
    const { rows } = await client.query<MemberRow>(
      `UPDATE dashboard.users SET password_hash = $3, must_change_password = true
       WHERE account_id = $1 AND id = $2 AND (NOT operator OR $4) RETURNING ${COLUMNS}`,
      [accountId, id, passwordHash, ofOperators],
    );
    if (!rows[0]) throw new GatewayError('not_found');
    await client.query('DELETE FROM dashboard.sessions WHERE user_id = $1', [id]);
    return fromRow(rows[0]);
  });
}

/** Locks the owners, so that two of them can't be removed at the same time. */
async function lockMembers(client: PoolClient, accountId: string): Promise<MemberRow[]> {
  const { rows } = await client.query<MemberRow>(
    `SELECT ${COLUMNS} FROM dashboard.users WHERE account_id = $1 ORDER BY id FOR UPDATE`,
    [accountId],
  );
  return rows;
}

/** Throws `not_found`, and `invalid_request` if the account would lose its last owner. */
function requireMember(
  members: readonly MemberRow[],
  id: string,
  newRole: Role | 'none' | undefined,
): MemberRow {
  const member = members.find((candidate) => candidate.id === id);
  if (!member) throw new GatewayError('not_found');
  const staysOwner = newRole === undefined || newRole === 'owner';
  const owners = members.filter(({ role }) => role === 'owner');
  if (member.role === 'owner' && !staysOwner && owners.length === 1) {
    throw new GatewayError('invalid_request', { detail: 'an account needs an owner' });
  }
  return member;
}
