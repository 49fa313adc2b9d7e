import { z } from 'zod';
import type { Billing } from '../clients/billing';
import type { Endpoint, UserCall } from './endpoint';
import { idempotentId } from './idempotent-id';
import { label, noFields, parseBody, signedUsdAmount, usdAmount } from './parse-input';
import { toLedgerJson, toTopupJson } from './to-json';

const topupBody = z.strictObject({
  amount: usdAmount.refine((nano) => nano > 0n, 'not above zero'),
  status: z.enum(['cleared', 'pending']),
});

const adjustmentBody = z.strictObject({
  amount: signedUsdAmount.refine((nano) => nano !== 0n, 'zero corrects nothing'),
  reason: label(200),
});

export function adminMoneyEndpoints(billing: Billing): Endpoint[] {
  const post = (path: string, handle: (billing: Billing, call: UserCall) => Promise<unknown>): Endpoint => ({
    method: 'POST',
    path,
    access: 'operator',
    handle: (call) => handle(billing, call),
  });
  return [
    post('/admin/accounts/:id/topups', createTopup),
    post('/admin/accounts/:id/adjustments', createAdjustment),
    post('/admin/topups/:id/clear', clearTopup),
  ];
}

async function createTopup(billing: Billing, call: UserCall) {
  const { amount, status } = parseBody(topupBody, call.body);
  const accountId = call.params.id ?? '';
  const topup = { id: idempotentId('top', call, accountId), accountId, amountNano: amount, status };
  return toTopupJson(await billing.createTopup(call.context, topup));
}

/** May take the balance below zero: what is true is written down, and calls are refused until it isn't. */
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
