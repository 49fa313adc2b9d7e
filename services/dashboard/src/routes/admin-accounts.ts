import { z } from 'zod';
import type { Billing } from '../clients/billing';
import type { Endpoint, UserCall } from './endpoint';
import { noFields, pageQuery, parseBody, parseQuery } from './parse-input';
import { toAccountJson, toKeyJson, toList, toThrottleJson } from './to-json';

/** Per second, over all edges. */
const MAX_REQUESTS = 1_000_000;

const suspendBody = z.strictObject({ suspended: z.boolean().default(true) });
const throttleBody = z.strictObject({
  requests_per_second: z.number().int().min(1).max(MAX_REQUESTS).nullable(),
});

export function adminAccountEndpoints(billing: Billing): Endpoint[] {
  const endpoint = (
    method: 'GET' | 'POST',
    path: string,
    handle: (billing: Billing, call: UserCall) => Promise<unknown>,
  ): Endpoint => ({ method, path, access: 'operator', handle: (call) => handle(billing, call) });
  return [
    endpoint('GET', '/admin/accounts', listAccounts),
    endpoint('GET', '/admin/accounts/:id', getAccount),
    endpoint('POST', '/admin/accounts/:id/suspend', suspendAccount),
    endpoint('POST', '/admin/keys/:id/revoke', revokeKey),
    endpoint('GET', '/admin/throttle', getThrottle),
    endpoint('POST', '/admin/throttle', setThrottle),
  ];
}

async function listAccounts(billing: Billing, { context, query }: UserCall) {
  const { accounts, nextCursor } = await billing.listAccounts(context, parseQuery(pageQuery, query));
  return toList(accounts.map(toAccountJson), nextCursor);
}

async function getAccount(billing: Billing, { context, params }: UserCall) {
  return toAccountJson(await billing.getAccount(context, params.id ?? ''));
}

async function suspendAccount(billing: Billing, { context, params, body }: UserCall) {
  const { suspended } = parseBody(suspendBody, body ?? {});
  return toAccountJson(await billing.setAccountSuspended(context, params.id ?? '', suspended));
}

/** For a key that leaked: of any account, for good. */
async function revokeKey(billing: Billing, { context, params, body }: UserCall) {
  parseBody(noFields, body ?? {});
  const key = await billing.revokeKey(context, params.id ?? '');
  return { ...toKeyJson(key), account_id: key.accountId };
}

async function getThrottle(billing: Billing, { context }: UserCall) {
  return toThrottleJson(await billing.getThrottle(context));
}

async function setThrottle(billing: Billing, { context, body }: UserCall) {
  const { requests_per_second } = parseBody(throttleBody, body);
  return toThrottleJson(await billing.setThrottle(context, requests_per_second ?? 0));
}
