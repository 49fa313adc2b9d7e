import type { Pool } from '@gateway/postgres';
import { createMember } from '../actions/create-member';
import { keysHeldBy, keysOfRemovedMembers } from '../actions/keys-of-removed-members';
import { renewPassword } from '../actions/renew-password';
import { listOf, pageQuery } from '../api/fields';
import {
  createMemberBody,
  deletedMemberResponse,
  type Member as MemberJson,
  memberResponse,
  newMemberResponse,
  removedMembersResponse,
  updateMemberBody,
} from '../api/members';
import type { Billing } from '../clients/billing';
import { throwIfLimited } from '../domain/throw-if-limited';
import type { PasswordHasher } from '../security/password-hasher';
import { type AttemptLimit, countAttempt } from '../store/attempts';
import { deleteMember, listMembers, type Member, updateMember } from '../store/members';
import { type Endpoint, endpoint } from './endpoint';
import { toKeyJson, toList, toTime } from './to-json';

export interface MemberDependencies {
  readonly pool: Pool;
  readonly billing: Billing;
  readonly hasher: PasswordHasher;
  readonly limits: { readonly memberPerAccount: AttemptLimit; readonly memberPerAddress: AttemptLimit };
}

export function memberEndpoints(deps: MemberDependencies): Endpoint[] {
  const { pool, billing, limits } = deps;
  /** Each attempt costs a hash, and reveals whether an email is taken. */
  async function countMemberAttempt(accountId: string, address: string) {
    throwIfLimited(await countAttempt(pool, limits.memberPerAccount, accountId));
    throwIfLimited(await countAttempt(pool, limits.memberPerAddress, address));
  }
  return [
    endpoint('viewer', 'GET /members', {
      summary: "List the account's members",
      query: pageQuery,
      response: listOf(memberResponse),
      async handle({ user, query }) {
        const { members, nextCursor } = await listMembers(pool, user.accountId, query);
        return toList(members.map(toMemberJson), nextCursor);
      },
    }),
    endpoint('owner', 'POST /members', {
      summary: 'Add a member; the response has the first password, which is shown once',
      body: createMemberBody,
      response: newMemberResponse,
      codes: ['email_taken', 'too_many_attempts'],
      // The gateway sends no mail: the owner hands over the first password, and the member changes it.
      async handle({ user, address, body }) {
        await countMemberAttempt(user.accountId, address);
        const { member, password } = await createMember(deps, user.accountId, body, address);
        return { ...toMemberJson(member), password };
      },
    }),
    endpoint('owner', 'POST /members/:id/update', {
      summary: 'Update a member; omitted fields stay unchanged',
      body: updateMemberBody,
      response: memberResponse,
      handle: async ({ user, params, body }) =>
        toMemberJson(await updateMember(pool, user.accountId, params.id ?? '', body)),
    }),
    endpoint('owner', 'POST /members/:id/password', {
      summary:
        "Reset a member's password; the response has the new one, which is shown once, and all sessions of the member end",
      response: newMemberResponse,
      codes: ['too_many_attempts'],
      async handle({ user, address, params }) {
        await countMemberAttempt(user.accountId, address);
        const renewal = { accountId: user.accountId, memberId: params.id ?? '', by: user, address };
        const { member, password } = await renewPassword(deps, renewal);
        return { ...toMemberJson(member), password };
      },
    }),
    endpoint('owner', 'POST /members/:id/delete', {
      summary:
        "Delete a member and end the member's sessions; the response has the keys whose values the member knows",
      response: deletedMemberResponse,
      async handle({ context, user, params }) {
        const member = await deleteMember(pool, user.accountId, params.id ?? '');
        const keys = await keysHeldBy(billing, context, user.accountId, [member.id]);
        return { ...toMemberJson(member), deleted: true as const, keys: keys.map(toKeyJson) };
      },
    }),
    endpoint('owner', 'GET /members/removed', {
      summary: 'List removed members who know the values of keys that can still be used',
      response: removedMembersResponse,
      async handle({ context, user }) {
        const removed = await keysOfRemovedMembers(deps, context, user.accountId);
        return {
          data: removed.map(({ removedAtMs, keys, ...member }) => ({
            ...member,
            removed_at: toTime(removedAtMs),
            keys: keys.map(toKeyJson),
          })),
        };
      },
    }),
  ];
}

export const toMemberJson = ({ createdAtMs, ...member }: Member): MemberJson => ({
  ...member,
  created_at: toTime(createdAtMs),
});
