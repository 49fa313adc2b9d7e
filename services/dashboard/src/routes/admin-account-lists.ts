import type { Pool } from '@gateway/postgres';
import { createMember } from '../actions/create-member';
import { renewPassword } from '../actions/renew-password';
import type { Billing } from '../clients/billing';
import type { PasswordHasher } from '../security/password-hasher';
import { listMembers } from '../store/members';
import {
  abandonedCostAnswer,
  addedMemberAnswer,
  keyAnswer,
  ledgerEntryAnswer,
  listOf,
  memberAnswer,
  operatorLossAnswer,
  topupAnswer,
} from './answers';
import type { Endpoint, EndpointDoc, UserCall } from './endpoint';
import { createMemberBody, toMemberJson } from './members';
import { noFields, pageQuery, parseBody, parseQuery } from './parse-input';
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
  const endpoint = (
    method: 'GET' | 'POST',
    name: string,
    handle: (deps: Dependencies, call: UserCall) => Promise<unknown>,
    doc: EndpointDoc,
  ): Endpoint => ({
    method,
    path: `/admin/accounts/:id/${name}`,
    access: 'operator',
    handle: (call) => handle(deps, call),
    doc,
  });
  return [
    endpoint('GET', 'keys', listKeys, {
      summary: "List an account's keys",
      query: pageQuery,
      answer: listOf(keyAnswer),
    }),
    endpoint('GET', 'topups', listTopups, {
      summary: "List an account's top-ups, newest first",
      query: pageQuery,
      answer: listOf(topupAnswer),
    }),
    endpoint('GET', 'ledger', listLedger, {
      summary: "List all changes of an account's balance, newest first",
      query: pageQuery,
      answer: listOf(ledgerEntryAnswer),
    }),
    endpoint('GET', 'losses', listLosses, {
      summary: "List the losses of an account's calls: cost that the operator pays, newest first",
      query: pageQuery,
      answer: listOf(operatorLossAnswer),
    }),
    endpoint('GET', 'abandoned', getAbandoned, {
      summary:
        "Retrieve the cost of an account's abandoned calls in the last hour, and whether it is limited",
      answer: abandonedCostAnswer,
    }),
    endpoint('GET', 'members', listAccountMembers, {
      summary: "List an account's members",
      query: pageQuery,
      answer: listOf(memberAnswer),
    }),
    endpoint('POST', 'members', addMember, {
      summary: 'Add a member to an account; the response has the first password, which is shown once',
      body: createMemberBody,
      answer: addedMemberAnswer,
      codes: ['email_taken', 'too_many_attempts'],
    }),
    endpoint('POST', 'members/:member/password', renewMemberPassword, {
      summary:
        "Reset a member's password; the response has the new one, which is shown once, and all logins of the member end",
      answer: addedMemberAnswer,
      codes: ['too_many_attempts'],
    }),
  ];
}

/** Checks that the account exists: the list of an unknown account would be empty instead of an error. */
async function knownAccount({ billing }: Dependencies, { context, params }: UserCall): Promise<string> {
  const { id } = await billing.getAccount(context, params.id ?? '');
  return id;
}

async function listKeys(deps: Dependencies, call: UserCall) {
  const page = parseQuery(pageQuery, call.query);
  const accountId = await knownAccount(deps, call);
  const { keys, nextCursor } = await deps.billing.listKeys(call.context, accountId, page);
  return toList(keys.map(toKeyJson), nextCursor);
}

async function listTopups(deps: Dependencies, call: UserCall) {
  const page = parseQuery(pageQuery, call.query);
  const accountId = await knownAccount(deps, call);
  const { topups, nextCursor } = await deps.billing.listTopups(call.context, accountId, page);
  return toList(topups.map(toTopupJson), nextCursor);
}

async function listLedger(deps: Dependencies, call: UserCall) {
  const page = parseQuery(pageQuery, call.query);
  const accountId = await knownAccount(deps, call);
  const { entries, nextCursor } = await deps.billing.listLedger(call.context, accountId, page);
  return toList(entries.map(toLedgerJson), nextCursor);
}

async function listLosses(deps: Dependencies, call: UserCall) {
  const page = parseQuery(pageQuery, call.query);
  const accountId = await knownAccount(deps, call);
  const { losses, nextCursor } = await deps.billing.listOperatorLosses(call.context, accountId, page);
  return toList(losses.map(toOperatorLossJson), nextCursor);
}

async function getAbandoned({ billing }: Dependencies, { context, params }: UserCall) {
  return toAbandonedCostJson(await billing.getAbandonedCost(context, params.id ?? ''));
}

async function listAccountMembers(deps: Dependencies, call: UserCall) {
  const page = parseQuery(pageQuery, call.query);
  const { members, nextCursor } = await listMembers(deps.pool, await knownAccount(deps, call), page);
  return toList(members.map(toMemberJson), nextCursor);
}

/** For an account without users, or whose users have lost their passwords. */
async function addMember(deps: Dependencies, call: UserCall) {
  const wanted = parseBody(createMemberBody, call.body);
  const accountId = await knownAccount(deps, call);
  const { member, password } = await createMember(deps, accountId, wanted, call.address);
  return { ...toMemberJson(member), account_id: accountId, password };
}

/** For a sole owner, whom no other user of the account can help. */
async function renewMemberPassword(deps: Dependencies, call: UserCall) {
  parseBody(noFields, call.body ?? {});
  const accountId = await knownAccount(deps, call);
  const wanted = { accountId, memberId: call.params.member ?? '', by: call.user, address: call.address };
  const { member, password } = await renewPassword(deps, wanted);
  return { ...toMemberJson(member), account_id: accountId, password };
}
