import type { Pool } from '@gateway/postgres';
import type { Account__Output } from '@gateway/proto/generated/gateway/billing/v1/Account';
import type { z } from 'zod';
import { type RegisterDependencies, registerUser } from '../actions/register-user';
import {
  accountResponse,
  accountsQuery,
  createAccountBody,
  newAccountResponse,
  suspendBody,
  throttleBody,
  throttleResponse,
} from '../api/accounts';
import { listOf } from '../api/fields';
import { findKeyBody, foundKeyResponse, revokedKeyResponse } from '../api/keys';
import { temporaryPassword } from '../security/first-password';
import { findAccountsByEmail, findOwnerEmails } from '../store/account-users';
import { type Endpoint, endpoint, type UserCall } from './endpoint';
import { idempotentId } from './idempotent-id';
import { toAccountJson, toFoundKeyJson, toKeyJson, toList, toThrottleJson } from './to-json';

type Dependencies = RegisterDependencies;

export function adminAccountEndpoints(deps: Dependencies): Endpoint[] {
  const { billing, pool } = deps;
  return [
    endpoint('operator', 'GET /admin/accounts', {
      summary: "List accounts, newest first; `query` searches names, users' emails and ids",
      query: accountsQuery,
      response: listOf(accountResponse),
      async handle({ context, query: { query, cell, ...page } }) {
        const alsoIds = query ? await findAccountsByEmail(pool, query) : [];
        const { accounts, nextCursor } = await billing.listAccounts(context, cell, {
          query,
          alsoIds,
          ...page,
        });
        return toList(await toAdminAccounts(pool, accounts, cell), nextCursor);
      },
    }),
    endpoint('operator', 'POST /admin/accounts', {
      summary:
        "Create an account and its owner; the response has the owner's first password, which is shown once",
      body: createAccountBody,
      response: newAccountResponse,
      codes: ['email_taken', 'too_many_attempts'],
      idempotent: true,
      handle: (call) => createAccount(deps, call, call.body),
    }),
    endpoint('operator', 'GET /admin/accounts/:id', {
      summary: 'Retrieve an account',
      response: accountResponse,
      handle: async ({ context, params }) =>
        toAdminAccount(deps, await billing.getAccount(context, params.id ?? '')),
    }),
    endpoint('operator', 'POST /admin/accounts/:id/suspend', {
      summary: 'Suspend or reactivate an account',
      body: suspendBody,
      optionalBody: true,
      response: accountResponse,
      handle: async ({ context, params, body }) =>
        toAdminAccount(deps, await billing.setAccountSuspended(context, params.id ?? '', body.suspended)),
    }),
    endpoint('operator', 'POST /admin/keys/:id/revoke', {
      summary: 'Permanently revoke a leaked key',
      response: revokedKeyResponse,
      async handle({ context, params }) {
        const key = await billing.revokeKey(context, params.id ?? '');
        return { ...toKeyJson(key), account_id: key.accountId };
      },
    }),
    endpoint(
      'operator',
      'POST /admin/keys/find',
      {
        summary: 'Find a key by its value, including rotated and deleted keys',
        body: findKeyBody,
        response: foundKeyResponse,
        handle: async ({ context, body }) =>
          toFoundKeyJson(await billing.findKey(context, body.value.trim())),
      },
      // A lookup, not a change; and the log must not contain the value.
      { unaudited: true },
    ),
    endpoint('operator', 'GET /admin/throttle', {
      summary: "Retrieve the platform's throttle",
      response: throttleResponse,
      handle: async ({ context }) => toThrottleJson(await billing.getThrottle(context)),
    }),
    endpoint('operator', 'POST /admin/throttle', {
      summary: "Set the platform's throttle; `null` removes it",
      body: throttleBody,
      response: throttleResponse,
      handle: async ({ context, body }) =>
        toThrottleJson(await billing.setThrottle(context, body.requests_per_second ?? 0)),
    }),
  ];
}

/** Idempotent by the owner's email; without an owner, by the Idempotency-Key. */
async function createAccount(
  deps: Dependencies,
  call: Pick<UserCall, 'context' | 'user' | 'address' | 'idempotencyKey'>,
  { name, owner }: z.output<typeof createAccountBody>,
) {
  const { billing } = deps;
  const { context, address } = call;
  if (!owner) {
    return toAdminAccount(
      deps,
      await billing.createAccount(context, idempotentId('acct', call, 'new'), name),
    );
  }
  const password = temporaryPassword();
  const { email: ownerEmail, name: fullName = name } = owner;
  const registration = {
    email: ownerEmail,
    name: fullName,
    accountName: name,
    password,
    mustChangePassword: true,
    operator: false,
    address,
  };
  const { id, accountId, email, name: ownerName } = await registerUser(deps, context, registration);
  const account = await toAdminAccount(deps, await billing.getAccount(context, accountId));
  return { ...account, owner: { id, email, name: ownerName, password } };
}

/** Adds the email of a user to contact, and the cell. */
async function toAdminAccounts(pool: Pool, accounts: readonly Account__Output[], cell: string) {
  const ids = accounts.map(({ id }) => id);
  const emails = await findOwnerEmails(pool, ids);
  return accounts.map((account) => ({
    ...toAccountJson(account),
    owner_email: emails.get(account.id) ?? null,
    cell,
  }));
}

async function toAdminAccount({ billing, pool }: Dependencies, account: Account__Output) {
  const [only] = await toAdminAccounts(pool, [account], await billing.cellOf(account.id));
  return only!;
}
