import type { Pool } from '@gateway/postgres';
import { createMember } from '../actions/create-member';
import { renewPassword } from '../actions/renew-password';
import {
  abandonedCostResponse,
  ledgerEntryResponse,
  operatorLossResponse,
  topupResponse,
} from '../api/billing';
import { listOf, pageQuery } from '../api/fields';
import { keyResponse } from '../api/keys';
import { addedMemberResponse, createMemberBody, memberResponse } from '../api/members';
import type { Billing } from '../clients/billing';
import type { PasswordHasher } from '../security/password-hasher';
import { listMembers } from '../store/members';
import { type Endpoint, endpoint, type UserCall } from './endpoint';
import { toMemberJson } from './members';
import {
  toAbandonedCostJson,
  toKeyJson,
  toLedgerJson,
  toList,
  toOperatorLossJson,
  toTopupJson,
} from './to-json';

interface Dependencies {
  readonly billing: Billing;
  readonly pool: Pool;
  readonly hasher: PasswordHasher;
}

/** The data of an account, for an operator who helps its users. */
export function adminAccountListEndpoints(deps: Dependencies): Endpoint[] {
  const { billing, pool } = deps;
  /** Checks that the account exists: the list of an unknown account would be empty instead of an error. */
  async function knownAccount({ context, params }: Pick<UserCall, 'context' | 'params'>): Promise<string> {
    const { id } = await billing.getAccount(context, params.id ?? '');
    return id;
  }
  return [
    endpoint('operator', 'GET /admin/accounts/:id/keys', {
      summary: "List an account's keys",
      query: pageQuery,
      response: listOf(keyResponse),
      async handle(call) {
        const { keys, nextCursor } = await billing.listKeys(
          call.context,
          await knownAccount(call),
          call.query,
        );
        return toList(keys.map(toKeyJson), nextCursor);
      },
    }),
    endpoint('operator', 'GET /admin/accounts/:id/topups', {
      summary: "List an account's top-ups, newest first",
      query: pageQuery,
      response: listOf(topupResponse),
      async handle(call) {
        const { topups, nextCursor } = await billing.listTopups(
          call.context,
          await knownAccount(call),
          call.query,
        );
        return toList(topups.map(toTopupJson), nextCursor);
      },
    }),
    endpoint('operator', 'GET /admin/accounts/:id/ledger', {
      summary: "List all changes of an account's balance, newest first",
      query: pageQuery,
      response: listOf(ledgerEntryResponse),
      async handle(call) {
        const { entries, nextCursor } = await billing.listLedger(
          call.context,
          await knownAccount(call),
          call.query,
        );
        return toList(entries.map(toLedgerJson), nextCursor);
      },
    }),
    endpoint('operator', 'GET /admin/accounts/:id/losses', {
      summary: "List an account's operator losses (costs not charged to the account), newest first",
      query: pageQuery,
      response: listOf(operatorLossResponse),
      async handle(call) {
        const accountId = await knownAccount(call);
        const { losses, nextCursor } = await billing.listOperatorLosses(call.context, accountId, call.query);
        return toList(losses.map(toOperatorLossJson), nextCursor);
      },
    }),
    endpoint('operator', 'GET /admin/accounts/:id/abandoned', {
      summary:
        "Retrieve the cost of an account's abandoned calls in the last hour, and whether it is limited",
      response: abandonedCostResponse,
      handle: async ({ context, params }) =>
        toAbandonedCostJson(await billing.getAbandonedCost(context, params.id ?? '')),
    }),
    endpoint('operator', 'GET /admin/accounts/:id/members', {
      summary: "List an account's members",
      query: pageQuery,
      response: listOf(memberResponse),
      async handle(call) {
        const { members, nextCursor } = await listMembers(pool, await knownAccount(call), call.query);
        return toList(members.map(toMemberJson), nextCursor);
      },
    }),
    // For an account without users, or whose users have lost their passwords.
    endpoint('operator', 'POST /admin/accounts/:id/members', {
      summary: 'Add a member to an account; the response has the first password, which is shown once',
      body: createMemberBody,
      response: addedMemberResponse,
      codes: ['email_taken', 'too_many_attempts'],
      async handle(call) {
        const accountId = await knownAccount(call);
        const { member, password } = await createMember(deps, accountId, call.body, call.address);
        return { ...toMemberJson(member), account_id: accountId, password };
      },
    }),
    // For a sole owner, whom no other user of the account can help.
    endpoint('operator', 'POST /admin/accounts/:id/members/:member/password', {
      summary:
        "Reset a member's password; the response has the new one, which is shown once, and all sessions of the member end",
      response: addedMemberResponse,
      codes: ['too_many_attempts'],
      async handle(call) {
        const accountId = await knownAccount(call);
        const memberId = call.params.member ?? '';
        const renewal = { accountId, memberId, by: call.user, address: call.address };
        const { member, password } = await renewPassword(deps, renewal);
        return { ...toMemberJson(member), account_id: accountId, password };
      },
    }),
  ];
}
