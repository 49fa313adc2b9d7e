import { z } from 'zod';
import type { Billing } from '../clients/billing';
import {
  accountUseAnswer,
  balanceAnswer,
  ledgerEntryAnswer,
  limitsAnswer,
  listOf,
  topupAnswer,
} from './answers';
import type { Endpoint, EndpointDoc, UserCall } from './endpoint';
import { pageQuery, parseBody, parseQuery, usdAmount } from './parse-input';
import { toAccountUseJson, toBalanceJson, toLedgerJson, toLimitsJson, toList, toTopupJson } from './to-json';

const limitsBody = z.strictObject({
  daily_limit: usdAmount.nullish(),
  when_short: z.enum(['lower', 'refuse']).optional(),
});

export function billingEndpoints(billing: Billing): Endpoint[] {
  const endpoint = (
    [method, path, access]: readonly ['GET' | 'POST', string, 'viewer' | 'owner'],
    handle: (billing: Billing, call: UserCall) => Promise<unknown>,
    doc: EndpointDoc,
  ): Endpoint => ({ method, path, access, handle: (call) => handle(billing, call), doc });
  return [
    endpoint(['GET', '/billing/balance', 'viewer'], getBalance, {
      summary: 'Retrieve the balance, the reserved part of it, and the available part',
      answer: balanceAnswer,
    }),
    endpoint(['GET', '/billing/limits', 'viewer'], getLimits, {
      summary: "Retrieve the account's daily spending limit",
      answer: limitsAnswer,
    }),
    endpoint(['GET', '/billing/use', 'viewer'], getUse, {
      summary: "Retrieve the account's current spending",
      answer: accountUseAnswer,
    }),
    endpoint(['POST', '/billing/limits', 'owner'], setLimits, {
      summary: "Update the account's spending limits; omitted limits stay unchanged, `null` removes a limit",
      body: limitsBody,
      answer: limitsAnswer,
    }),
    endpoint(['GET', '/billing/topups', 'viewer'], listTopups, {
      summary: "List the account's top-ups, newest first",
      query: pageQuery,
      answer: listOf(topupAnswer),
    }),
    endpoint(['GET', '/billing/ledger', 'viewer'], listLedger, {
      summary: 'List all changes of the balance, newest first',
      query: pageQuery,
      answer: listOf(ledgerEntryAnswer),
    }),
  ];
}

async function getBalance(billing: Billing, { context, user }: UserCall) {
  return toBalanceJson(await billing.getAccount(context, user.accountId));
}

async function getLimits(billing: Billing, { context, user }: UserCall) {
  return toLimitsJson(await billing.getAccount(context, user.accountId));
}

async function getUse(billing: Billing, { context, user }: UserCall) {
  return toAccountUseJson(await billing.getAccountUse(context, user.accountId));
}

async function setLimits(billing: Billing, { context, user, body }: UserCall) {
  const { daily_limit, when_short } = parseBody(limitsBody, body);
  const account = await billing.updateAccountLimits(context, {
    id: user.accountId,
    ...(daily_limit != null && { dailyLimitNano: daily_limit.toString() }),
    liftDailyLimit: daily_limit === null,
    ...(when_short && {
      whenShort: when_short === 'lower' ? 'WHEN_SHORT_LOWER' : 'WHEN_SHORT_REFUSE',
    }),
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
