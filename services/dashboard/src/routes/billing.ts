import type { Billing } from '../clients/billing';
import type { Endpoint, UserCall } from './endpoint';
import { pageQuery, parseQuery } from './parse-input';
import { toBalanceJson, toLedgerJson, toList, toTopupJson } from './to-json';

export function billingEndpoints(billing: Billing): Endpoint[] {
  return [
    { method: 'GET', path: '/billing/balance', access: 'user', handle: (call) => getBalance(billing, call) },
    { method: 'GET', path: '/billing/topups', access: 'user', handle: (call) => listTopups(billing, call) },
    { method: 'GET', path: '/billing/ledger', access: 'user', handle: (call) => listLedger(billing, call) },
  ];
}

async function getBalance(billing: Billing, { context, user }: UserCall) {
  return toBalanceJson(await billing.getAccount(context, user.accountId));
}

async function listTopups(billing: Billing, { context, user, query }: UserCall) {
  const page = parseQuery(pageQuery, query);
  const { topups, nextCursor } = await billing.listTopups(context, user.accountId, page);
  return toList(topups.map(toTopupJson), nextCursor);
}

async function listLedger(billing: Billing, { context, user, query }: UserCall) {
  const page = parseQuery(pageQuery, query);
  const { entries, nextCursor } = await billing.listLedger(context, user.accountId, page);
  return toList(entries.map(toLedgerJson), nextCursor);
}
