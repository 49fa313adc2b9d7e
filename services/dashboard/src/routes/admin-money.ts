import { z } from 'zod';
import type { Billing } from '../clients/billing';
import { adjustmentAnswer, listOf, topupAnswer } from './answers';
import type { Endpoint, EndpointDoc, UserCall } from './endpoint';
import { idempotentId } from './idempotent-id';
import { label, noFields, pageQuery, parseBody, parseQuery, signedUsdAmount, usdAmount } from './parse-input';
import { toLedgerJson, toList, toTopupJson } from './to-json';

const topupBody = z.strictObject({
  amount: usdAmount.refine((nano) => nano > 0n, 'not above zero'),
  status: z.enum(['cleared', 'pending']),
  reference: label(200).nullish(),
});

const adjustmentBody = z.strictObject({
  amount: signedUsdAmount.refine((nano) => nano !== 0n, 'zero corrects nothing'),
  reason: label(200),
});

const listQuery = pageQuery.extend({ status: z.enum(['cleared', 'pending', 'voided']).default('pending') });

export function adminMoneyEndpoints(billing: Billing): Endpoint[] {
  const endpoint = (
    method: 'GET' | 'POST',
    path: string,
    handle: (billing: Billing, call: UserCall) => Promise<unknown>,
    doc: EndpointDoc,
  ): Endpoint => ({ method, path, access: 'operator', handle: (call) => handle(billing, call), doc });
  return [
    endpoint('POST', '/admin/accounts/:id/topups', createTopup, {
      summary: 'Record a payment, pending or cleared',
      body: topupBody,
      answer: topupAnswer,
      idempotent: true,
    }),
    endpoint('POST', '/admin/accounts/:id/adjustments', createAdjustment, {
      summary: 'Adjust a balance by a signed amount',
      body: adjustmentBody,
      answer: adjustmentAnswer,
      idempotent: true,
    }),
    endpoint('GET', '/admin/topups', listTopups, {
      summary: 'List the top-ups of all accounts by status, newest first',
      query: listQuery,
      answer: listOf(topupAnswer),
    }),
    endpoint('POST', '/admin/topups/:id/clear', clearTopup, {
      summary: 'Clear a pending top-up',
      answer: topupAnswer,
    }),
    endpoint('POST', '/admin/topups/:id/void', voidTopup, {
      summary: 'Void a pending top-up, which then never clears',
      answer: topupAnswer,
    }),
  ];
}

/** Of all accounts. */
async function listTopups(billing: Billing, { context, query }: UserCall) {
  const { status, ...page } = parseQuery(listQuery, query);
  const { topups, nextCursor } = await billing.listTopupsByStatus(context, status, page);
  return toList(topups.map(toTopupJson), nextCursor);
}

async function createTopup(billing: Billing, call: UserCall) {
  const { amount, status, reference } = parseBody(topupBody, call.body);
  const accountId = call.params.id ?? '';
  const id = idempotentId('top', call, accountId);
  const topup = { id, accountId, amountNano: amount, status, reference: reference ?? '' };
  return toTopupJson(await billing.createTopup(call.context, topup));
}

/** The balance may become negative: corrections are recorded as they are, and calls are refused until it is positive. */
async function createAdjustment(billing: Billing, call: UserCall) {
  const { amount, reason } = parseBody(adjustmentBody, call.body);
  const accountId = call.params.id ?? '';
  const adjustment = { id: idempotentId('adj', call, accountId), accountId, amountNano: amount, reason };
  const entry = await billing.createAdjustment(call.context, adjustment);
  return { ...toLedgerJson(entry), account_id: entry.accountId };
}

async function clearTopup(billing: Billing, { context, params, body }: UserCall) {
  parseBody(noFields, body ?? {});
  return toTopupJson(await billing.clearTopup(context, params.id ?? ''));
}

async function voidTopup(billing: Billing, { context, params, body }: UserCall) {
  parseBody(noFields, body ?? {});
  return toTopupJson(await billing.voidTopup(context, params.id ?? ''));
}
