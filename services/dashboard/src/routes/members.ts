import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { Pool } from '@gateway/runtime';
import { z } from 'zod';
import { ROLES } from '../domain/access';
import type { PasswordHasher } from '../security/password-hasher';
import { type AttemptLimit, takeAttempt } from '../store/attempts';
import { deleteMember, insertMember, listMembers, type Member, updateMember } from '../store/members';
import { emailAddress, refuseIfMany } from './auth';
import type { Endpoint, UserCall } from './endpoint';
import { label, noFields, pageQuery, parseBody, parseQuery } from './parse-input';
import { toList, toTime } from './to-json';

export interface MemberDependencies {
  readonly pool: Pool;
  readonly hasher: PasswordHasher;
  readonly limits: { readonly memberPerAccount: AttemptLimit; readonly memberPerAddress: AttemptLimit };
}

const PASSWORD_BYTES = 15;

const role = z.enum(ROLES);
const createBody = z.strictObject({ email: emailAddress, name: label(200), role });
const updateBody = z.strictObject({ name: label(200).optional(), role: role.optional() });

export function memberEndpoints(deps: MemberDependencies): Endpoint[] {
  return [
    { method: 'GET', path: '/members', access: 'viewer', handle: (call) => list(deps, call) },
    { method: 'POST', path: '/members', access: 'owner', handle: (call) => create(deps, call) },
    { method: 'POST', path: '/members/:id/update', access: 'owner', handle: (call) => update(deps, call) },
    { method: 'POST', path: '/members/:id/delete', access: 'owner', handle: (call) => remove(deps, call) },
  ];
}

async function list({ pool }: MemberDependencies, { user, query }: UserCall) {
  const { members, nextCursor } = await listMembers(pool, user.accountId, parseQuery(pageQuery, query));
  return toList(members.map(toMemberJson), nextCursor);
}

/**
 * There is no mail: the owner hands the first password over, and the member changes it. Each try is counted: it
 * costs a hash, and tells whether somebody has the email.
 */
async function create({ pool, hasher, limits }: MemberDependencies, { user, address, body }: UserCall) {
  const member = parseBody(createBody, body);
  refuseIfMany(await takeAttempt(pool, limits.memberPerAccount, user.accountId));
  refuseIfMany(await takeAttempt(pool, limits.memberPerAddress, address));
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const passwordHash = await hasher.hash(password);
  const made = await insertMember(pool, {
    ...member,
    id: `user_${randomUUIDv7()}`,
    accountId: user.accountId,
    passwordHash,
  });
  return { ...toMemberJson(made), password };
}

async function update({ pool }: MemberDependencies, { user, params, body }: UserCall) {
  const changes = parseBody(updateBody, body);
  return toMemberJson(await updateMember(pool, user.accountId, params.id ?? '', changes));
}

async function remove({ pool }: MemberDependencies, { user, params, body }: UserCall) {
  parseBody(noFields, body ?? {});
  return { ...toMemberJson(await deleteMember(pool, user.accountId, params.id ?? '')), deleted: true };
}

const toMemberJson = ({ createdAtMs, ...member }: Member) => ({ ...member, created_at: toTime(createdAtMs) });
