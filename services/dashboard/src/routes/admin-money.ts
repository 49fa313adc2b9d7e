import { adjustmentBody, adjustmentResponse, topupBody, topupResponse, topupsQuery } from '../api/billing';
import { listOf } from '../api/fields';
import type { Billing } from '../clients/billing';
import { type Endpoint, endpoint } from './endpoint';
import { idempotentId } from './idempotent-id';
import { toLedgerJson, toList, toTopupJson } from './to-json';

export const adminMoneyEndpoints = (billing: Billing): Endpoint[] => [
  endpoint('operator', 'POST /admin/accounts/:id/topups', {
    summary: 'Record a payment, pending or cleared',
    body: topupBody,
    response: topupResponse,
    idempotent: true,
    async handle(call) {
      const { amount, status, reference } = call.body;
      const accountId = call.params.id ?? '';
      const id = idempotentId('top', call, accountId);
      const topup = { id, accountId, amountNano: amount, status, reference: reference ?? '' };
      return toTopupJson(await billing.createTopup(call.context, topup));
    },
  }),
  endpoint('operator', 'POST /admin/accounts/:id/adjustments', {
    summary: 'Adjust a balance by a signed amount',
    body: adjustmentBody,
    response: adjustmentResponse,
    idempotent: true,
    // The balance may become negative: corrections are recorded as they are, and calls are refused until it is positive.
    async handle(call) {
      const { amount, reason } = call.body;
      const accountId = call.params.id ?? '';
      const adjustment = { id: idempotentId('adj', call, accountId), accountId, amountNano: amount, reason };
      const entry = await billing.createAdjustment(call.context, adjustment);
      return { ...toLedgerJson(entry), account_id: entry.accountId };
    },
  }),
  endpoint('operator', 'GET /admin/topups', {
    summary: 'List the top-ups of all accounts by status, newest first',
    query: topupsQuery,
    response: listOf(topupResponse),
    async handle({ context, query: { status, cell, ...page } }) {
      const { topups, nextCursor } = await billing.listTopupsByStatus(context, cell, status, page);
      return toList(topups.map(toTopupJson), nextCursor);
    },
  }),
  endpoint('operator', 'POST /admin/topups/:id/clear', {
    summary: 'Clear a pending top-up',
    response: topupResponse,
    handle: async ({ context, params }) => toTopupJson(await billing.clearTopup(context, params.id ?? '')),
  }),
  endpoint('operator', 'POST /admin/topups/:id/void', {
    summary: "Void a pending top-up; a voided top-up can't be cleared",
    response: topupResponse,
    handle: async ({ context, params }) => toTopupJson(await billing.voidTopup(context, params.id ?? '')),
  }),
];
