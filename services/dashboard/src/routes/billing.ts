import {
  accountUseResponse,
  balanceResponse,
  ledgerEntryResponse,
  limitsBody,
  limitsResponse,
  topupResponse,
} from '../api/billing';
import { listOf, pageQuery } from '../api/fields';
import type { Billing } from '../clients/billing';
import { type Endpoint, endpoint } from './endpoint';
import { toAccountUseJson, toBalanceJson, toLedgerJson, toLimitsJson, toList, toTopupJson } from './to-json';

export const billingEndpoints = (billing: Billing): Endpoint[] => [
  endpoint('viewer', 'GET /billing/balance', {
    summary: 'Retrieve the balance, the reserved part of it, and the available part',
    response: balanceResponse,
    handle: async ({ context, user }) => toBalanceJson(await billing.getAccount(context, user.accountId)),
  }),
  endpoint('viewer', 'GET /billing/limits', {
    summary: "Retrieve the account's daily spending limit",
    response: limitsResponse,
    handle: async ({ context, user }) => toLimitsJson(await billing.getAccount(context, user.accountId)),
  }),
  endpoint('viewer', 'GET /billing/use', {
    summary: "Retrieve the account's current spending",
    response: accountUseResponse,
    handle: async ({ context, user }) =>
      toAccountUseJson(await billing.getAccountUse(context, user.accountId)),
  }),
  endpoint('owner', 'POST /billing/limits', {
    summary: "Update the account's spending limits; omitted limits stay unchanged, `null` removes a limit",
    body: limitsBody,
    response: limitsResponse,
    async handle({ context, user, body: { daily_limit, when_short } }) {
      const account = await billing.updateAccountLimits(context, {
        id: user.accountId,
        ...(daily_limit != null && { dailyLimitNano: daily_limit.toString() }),
        liftDailyLimit: daily_limit === null,
        ...(when_short && { whenShort: when_short === 'lower' ? 'WHEN_SHORT_LOWER' : 'WHEN_SHORT_REFUSE' }),
      });
      return toLimitsJson(account);
    },
  }),
  endpoint('viewer', 'GET /billing/topups', {
    summary: "List the account's top-ups, newest first",
    query: pageQuery,
    response: listOf(topupResponse),
    async handle({ context, user, query }) {
      const { topups, nextCursor } = await billing.listTopups(context, user.accountId, query);
      return toList(topups.map(toTopupJson), nextCursor);
    },
  }),
  endpoint('viewer', 'GET /billing/ledger', {
    summary: 'List all changes of the balance, newest first',
    query: pageQuery,
    response: listOf(ledgerEntryResponse),
    async handle({ context, user, query }) {
      const { entries, nextCursor } = await billing.listLedger(context, user.accountId, query);
      return toList(entries.map(toLedgerJson), nextCursor);
    },
  }),
];
