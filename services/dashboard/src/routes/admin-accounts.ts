import type { Pool } from '@gateway/postgres';
import type { Account__Output } from '@gateway/proto/generated/gateway/billing/v1/Account';
import { z } from 'zod';
import { type RegisterDependencies, registerUser } from '../actions/register-user';
import { firstPassword } from '../security/first-password';
import { findAccountsByEmail, findOwnerEmails } from '../store/account-users';
import {
  accountAnswer,
  foundKeyAnswer,
  listOf,
  newAccountAnswer,
  revokedKeyAnswer,
  throttleAnswer,
} from './answers';
import { emailAddress } from './auth';
import type { Endpoint, EndpointDoc, UserCall, UserEndpoint } from './endpoint';
import { idempotentId } from './idempotent-id';
import { label, noFields, pageQuery, parseBody, parseQuery } from './parse-input';
import { toAccountJson, toFoundKeyJson, toKeyJson, toList, toThrottleJson } from './to-json';

type Dependencies = RegisterDependencies;

/** Per second, over all edges. */
const MAX_REQUESTS = 1_000_000;

const listQuery = pageQuery.extend({ query: label(200).or(z.literal('')).default('') });
const createBody = z.strictObject({
  name: label(200),
  owner: z.strictObject({ email: emailAddress, name: label(200).optional() }).optional(),
});
const suspendBody = z.strictObject({ suspended: z.boolean().default(true) });
/** Values are in the body, because paths and queries are logged. */
const findKeyBody = z.strictObject({ value: z.string().min(1).max(1_000) });
const throttleBody = z.strictObject({
  requests_per_second: z.number().int().min(1).max(MAX_REQUESTS).nullable(),
});

export function adminAccountEndpoints(deps: Dependencies): Endpoint[] {
  const endpoint = (
    method: 'GET' | 'POST',
    path: string,
    handle: (deps: Dependencies, call: UserCall) => Promise<unknown>,
    doc: EndpointDoc,
  ): UserEndpoint => ({ method, path, access: 'operator', handle: (call) => handle(deps, call), doc });
  return [
    endpoint('GET', '/admin/accounts', listAccounts, {
      summary: "List accounts, newest first; `query` searches names, users' emails and ids",
      query: listQuery,
      answer: listOf(accountAnswer),
    }),
    endpoint('POST', '/admin/accounts', createAccount, {
      summary:
        "Create an account and its owner; the response has the owner's first password, which is shown once",
      body: createBody,
      answer: newAccountAnswer,
      codes: ['email_taken', 'too_many_attempts'],
      idempotent: true,
    }),
    endpoint('GET', '/admin/accounts/:id', getAccount, {
      summary: 'Retrieve an account',
      answer: accountAnswer,
    }),
    endpoint('POST', '/admin/accounts/:id/suspend', suspendAccount, {
      summary: 'Suspend or reactivate an account',
      body: suspendBody,
      answer: accountAnswer,
    }),
    endpoint('POST', '/admin/keys/:id/revoke', revokeKey, {
      summary: 'Permanently revoke a leaked key',
      answer: revokedKeyAnswer,
    }),
    {
      ...endpoint('POST', '/admin/keys/find', findKey, {
        summary: 'Find a key by its value, including rotated and deleted keys',
        body: findKeyBody,
        answer: foundKeyAnswer,
      }),
      // A lookup, not a change; and the log must not contain the value.
      unaudited: true,
    },
    endpoint('GET', '/admin/throttle', getThrottle, {
      summary: "Retrieve the platform's throttle",
      answer: throttleAnswer,
    }),
    endpoint('POST', '/admin/throttle', setThrottle, {
      summary: "Set the platform's throttle; `null` removes it",
      body: throttleBody,
      answer: throttleAnswer,
    }),
  ];
}

/** Lists all accounts, or those with the text in their name or in a user's email, or with that id. */
async function listAccounts({ billing, pool }: Dependencies, { context, query: given }: UserCall) {
  const { query, ...page } = parseQuery(listQuery, given);
  const alsoIds = query ? await findAccountsByEmail(pool, query) : [];
  const { accounts, nextCursor } = await billing.listAccounts(context, { query, alsoIds, ...page });
  return toList(await shown(pool, accounts), nextCursor);
}

/** With an owner, the email makes it idempotent; without, the Idempotency-Key. */
async function createAccount(deps: Dependencies, call: UserCall) {
  const { name, owner } = parseBody(createBody, call.body);
  if (!owner) {
    const id = idempotentId('acct', call, 'new');
    return shownOne(deps.pool, await deps.billing.createAccount(call.context, id, name));
  }
  const password = firstPassword();
  const { email: wanted, name: called = name } = owner;
  const { address } = call;
  const user = { email: wanted, name: called, accountName: name, password, operator: false, address };
  const { id, accountId, email, name: ownerName } = await registerUser(deps, call.context, user);
  const account = await deps.billing.getAccount(call.context, accountId);
  return { ...(await shownOne(deps.pool, account)), owner: { id, email, name: ownerName, password } };
}

async function getAccount({ billing, pool }: Dependencies, { context, params }: UserCall) {
  return shownOne(pool, await billing.getAccount(context, params.id ?? ''));
}

async function suspendAccount({ billing, pool }: Dependencies, { context, params, body }: UserCall) {
  const { suspended } = parseBody(suspendBody, body ?? {});
  return shownOne(pool, await billing.setAccountSuspended(context, params.id ?? '', suspended));
}

/** Permanently revokes a leaked key of any account. */
async function revokeKey({ billing }: Dependencies, { context, params, body }: UserCall) {
  parseBody(noFields, body ?? {});
  const key = await billing.revokeKey(context, params.id ?? '');
  return { ...toKeyJson(key), account_id: key.accountId };
}

/** Finds the key of a value that was found in a public place. */
async function findKey({ billing }: Dependencies, { context, body }: UserCall) {
  const { value } = parseBody(findKeyBody, body);
  return toFoundKeyJson(await billing.findKey(context, value.trim()));
}

async function getThrottle({ billing }: Dependencies, { context }: UserCall) {
  return toThrottleJson(await billing.getThrottle(context));
}

async function setThrottle({ billing }: Dependencies, { context, body }: UserCall) {
  const { requests_per_second } = parseBody(throttleBody, body);
  return toThrottleJson(await billing.setThrottle(context, requests_per_second ?? 0));
}

/** Adds the email of a user to contact. */
async function shown(pool: Pool, accounts: readonly Account__Output[]) {
  const ids = accounts.map(({ id }) => id);
  const emails = await findOwnerEmails(pool, ids);
  return accounts.map((account) => ({
    ...toAccountJson(account),
    owner_email: emails.get(account.id) ?? null,
  }));
}

async function shownOne(pool: Pool, account: Account__Output) {
  const [only] = await shown(pool, [account]);
  return only!;
}
