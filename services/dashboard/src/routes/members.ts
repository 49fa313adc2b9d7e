import type { Pool } from '@gateway/postgres';
import { z } from 'zod';
import { createMember } from '../actions/create-member';
import { renewPassword } from '../actions/renew-password';
import { ROLES } from '../domain/access';
import { refuseIfMany } from '../domain/refuse-if-many';
import type { PasswordHasher } from '../security/password-hasher';
import { type AttemptLimit, takeAttempt } from '../store/attempts';
import { deleteMember, listMembers, type Member, updateMember } from '../store/members';
import { deletedMemberAnswer, listOf, memberAnswer, newMemberAnswer } from './answers';
import { emailAddress } from './auth';
import type { Endpoint, EndpointDoc, UserCall } from './endpoint';
import { label, noFields, pageQuery, parseBody, parseQuery } from './parse-input';
import { toList, toTime } from './to-json';

export interface MemberDependencies {
  readonly pool: Pool;
  readonly hasher: PasswordHasher;
  readonly limits: { readonly memberPerAccount: AttemptLimit; readonly memberPerAddress: AttemptLimit };
}

const role = z.enum(ROLES);
export const createMemberBody = z.strictObject({ email: emailAddress, name: label(200), role });
const updateBody = z.strictObject({ name: label(200).optional(), role: role.optional() });

export function memberEndpoints(deps: MemberDependencies): Endpoint[] {
  const endpoint = (
    [method, path, access]: readonly ['GET' | 'POST', string, 'viewer' | 'owner'],
    handle: (deps: MemberDependencies, call: UserCall) => Promise<unknown>,
    doc: EndpointDoc,
  ): Endpoint => ({ method, path, access, handle: (call) => handle(deps, call), doc });
  return [
    endpoint(['GET', '/members', 'viewer'], list, {
      summary: "List the account's members",
      query: pageQuery,
      answer: listOf(memberAnswer),
    }),
    endpoint(['POST', '/members', 'owner'], create, {
      summary: 'Add a member; the response has the first password, which is shown once',
      body: createMemberBody,
      answer: newMemberAnswer,
      codes: ['email_taken', 'too_many_attempts'],
    }),
    endpoint(['POST', '/members/:id/update', 'owner'], update, {
      summary: 'Update a member; omitted fields stay unchanged',
      body: updateBody,
      answer: memberAnswer,
    }),
    endpoint(['POST', '/members/:id/password', 'owner'], renew, {
      summary:
        "Reset a member's password; the response has the new one, which is shown once, and all logins of the member end",
      answer: newMemberAnswer,
      codes: ['too_many_attempts'],
    }),
    endpoint(['POST', '/members/:id/delete', 'owner'], remove, {
      summary: "Delete a member and end the member's logins",
      answer: deletedMemberAnswer,
    }),
  ];
}

async function list({ pool }: MemberDependencies, { user, query }: UserCall) {
  const { members, nextCursor } = await listMembers(pool, user.accountId, parseQuery(pageQuery, query));
  return toList(members.map(toMemberJson), nextCursor);
}

/**
 * There is no mail: the owner hands over the first password, and the member changes it. Each attempt is counted: it costs a
 * hash, and reveals whether the email is taken.
 */
async function create(deps: MemberDependencies, { user, address, body }: UserCall) {
  const wanted = parseBody(createMemberBody, body);
  await countTry(deps, user.accountId, address);
  const { member, password } = await createMember(deps, user.accountId, wanted, address);
  return { ...toMemberJson(member), password };
}

async function update({ pool }: MemberDependencies, { user, params, body }: UserCall) {
  const changes = parseBody(updateBody, body);
  return toMemberJson(await updateMember(pool, user.accountId, params.id ?? '', changes));
}

/** Counted like an attempt to add a member, because it costs the same. */
async function renew(deps: MemberDependencies, { user, address, params, body }: UserCall) {
  parseBody(noFields, body ?? {});
  await countTry(deps, user.accountId, address);
  const wanted = { accountId: user.accountId, memberId: params.id ?? '', by: user, address };
  const { member, password } = await renewPassword(deps, wanted);
  return { ...toMemberJson(member), password };
}

async function remove({ pool }: MemberDependencies, { user, params, body }: UserCall) {
  parseBody(noFields, body ?? {});
  return { ...toMemberJson(await deleteMember(pool, user.accountId, params.id ?? '')), deleted: true };
}

async function countTry({ pool, limits }: MemberDependencies, accountId: string, address: string) {
  refuseIfMany(await takeAttempt(pool, limits.memberPerAccount, accountId));
  refuseIfMany(await takeAttempt(pool, limits.memberPerAddress, address));
}

export const toMemberJson = ({ createdAtMs, ...member }: Member) => ({
  ...member,
  created_at: toTime(createdAtMs),
});
