import { createHash, randomUUIDv7 } from 'node:crypto';
import { z } from 'zod';
import type { Billing } from '../clients/billing';
import type { Endpoint, UserCall } from './endpoint';
import { noFields, parseBody, usdAmount } from './parse-input';
import { toTopupJson } from './to-json';

const topupBody = z.strictObject({
  amount: usdAmount.refine((nano) => nano > 0n, 'not above zero'),
  status: z.enum(['cleared', 'pending']),
});

export function adminEndpoints(billing: Billing): Endpoint[] {
  return [
    {
      method: 'POST',
      path: '/admin/accounts/:id/topups',
      access: 'operator',
      handle: (call) => createTopup(billing, call),
    },
    {
      method: 'POST',
      path: '/admin/topups/:id/clear',
      access: 'operator',
      handle: (call) => clearTopup(billing, call),
    },
  ];
}

async function createTopup(billing: Billing, call: UserCall) {
  const { amount, status } = parseBody(topupBody, call.body);
  const accountId = call.params.id ?? '';
  const topup = { id: topupId(call, accountId), accountId, amountNano: amount, status };
  return toTopupJson(await billing.createTopup(call.context, topup));
}

/** The same `Idempotency-Key` from the same operator for the same account names the same top-up. */
function topupId({ user, idempotencyKey }: UserCall, accountId: string): string {
  if (idempotencyKey === undefined) return `top_${randomUUIDv7()}`;
  const digest = createHash('sha256').update(JSON.stringify([user.id, accountId, idempotencyKey]));
  return `top_${digest.digest('hex').slice(0, 32)}`;
}

async function clearTopup(billing: Billing, { context, params, body }: UserCall) {
  parseBody(noFields, body ?? {});
  return toTopupJson(await billing.clearTopup(context, params.id ?? ''));
}
