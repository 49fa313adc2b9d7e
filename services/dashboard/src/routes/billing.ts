import { z } from 'zod';
import type { Billing } from '../clients/billing';
import type { Endpoint, UserCall } from './endpoint';
import { pageQuery, parseBody, parseQuery, usdAmount } from './parse-input';
import { toBalanceJson, toLedgerJson, toLimitsJson, toList, toTopupJson } from './to-json';

const limitsBody = z.strictObject({
  daily_limit: usdAmount.nullish(),
  when_short: z.enum(['lower', 'refuse']).optional(),
});

export function billingEndpoints(billing: Billing): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/billing/balance',
      access: 'viewer',
      handle: (call) => getBalance(billing, call),
    },
    { method: 'GET', path: '/billing/limits', access: 'viewer', handle: (call) => getLimits(billing, call) },
    { method: 'POST', path: '/billing/limits', access: 'owner', handle: (call) => setLimits(billing, call) },
    { method: 'GET', path: '/billing/topups', access: 'viewer', handle: (call) => listTopups(billing, call) },
    { method: 'GET', path: '/billing/ledger', access: 'viewer', handle: (call) => listLedger(billing, call) },
  ];
}

async function getBalance(billing: Billing, { context, user }: UserCall) {
  return toBalanceJson(await billing.getAccount(context, user.accountId));
}

async function getLimits(billing: Billing, { context, user }: UserCall) {
  return toLimitsJson(await billing.getAccount(context, user.accountId));
}

async function setLimits(billing: Billing, { context, user, body }: UserCall) {
  const { daily_limit, when_short } = parseBody(limitsBody, body);
  const account = await billing.updateAccountLimits(context, {
    id: user.accountId,
    ...(daily_limit != null && { dailyLimitNano: daily_limit.toString() }),
    liftDailyLimit: daily_limit === null,
    ...(when_short && { whenShort: when_short === 'lower' ? 'WHEN_SHORT_LOWER' : 'WHEN_SHORT_REFUSE' }),
  });
  return toLimitsJson(account);
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
