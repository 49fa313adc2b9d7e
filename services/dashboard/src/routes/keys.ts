import { z } from 'zod';
import type { Billing } from '../clients/billing';
import type { Endpoint, UserCall } from './endpoint';
import { label, noFields, pageQuery, parseBody, parseQuery, usdAmount } from './parse-input';
import { toKeyJson, toList } from './to-json';

const MAX_ALLOWED_MODELS = 500;
const MAX_RATE = 1_000_000_000;

const rate = z.number().int().min(0).max(MAX_RATE).nullish();
const usdLimit = usdAmount.nullish();

const createBody = z.strictObject({
  name: label(200),
  // Blank means never, however it is left blank. A time that is past makes a key that is expired already.
  expires_at: z.union([z.iso.datetime({ offset: true }), z.literal('')]).nullish(),
  allowed_models: z
    .array(
      z
        .string()
        .max(200)
        .regex(/^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._:-]*$/, 'not a model slug'),
    )
    .max(MAX_ALLOWED_MODELS)
    .nullish(),
  daily_limit: usdLimit,
  monthly_limit: usdLimit,
  request_cost_limit: usdLimit,
  rpm_limit: rate,
  tpm_limit: rate,
});

export function keyEndpoints(billing: Billing): Endpoint[] {
  return [
    { method: 'GET', path: '/keys', access: 'user', handle: (call) => listKeys(billing, call) },
    { method: 'POST', path: '/keys', access: 'user', handle: (call) => createKey(billing, call) },
    { method: 'GET', path: '/keys/:id', access: 'user', handle: (call) => getKey(billing, call) },
    { method: 'POST', path: '/keys/:id/delete', access: 'user', handle: (call) => deleteKey(billing, call) },
  ];
}

async function listKeys(billing: Billing, { context, user, query }: UserCall) {
  const { keys, nextCursor } = await billing.listKeys(context, user.accountId, parseQuery(pageQuery, query));
  return toList(keys.map(toKeyJson), nextCursor);
}

async function createKey(billing: Billing, { context, user, body }: UserCall) {
  const given = parseBody(createBody, body);
  const { key, value } = await billing.createKey(context, {
    accountId: user.accountId,
    name: given.name,
    allowedModels: given.allowed_models ?? [],
    ...(given.expires_at && { expiresAtMs: Date.parse(given.expires_at) }),
    ...(given.daily_limit != null && { dailyLimitNano: given.daily_limit.toString() }),
    ...(given.monthly_limit != null && { monthlyLimitNano: given.monthly_limit.toString() }),
    ...(given.request_cost_limit != null && { requestCostLimitNano: given.request_cost_limit.toString() }),
    ...(given.rpm_limit != null && { rpmLimit: given.rpm_limit }),
    ...(given.tpm_limit != null && { tpmLimit: given.tpm_limit }),
  });
  return { ...toKeyJson(key!), key: value };
}

async function getKey(billing: Billing, { context, user, params }: UserCall) {
  return toKeyJson(await billing.getKey(context, user.accountId, params.id ?? ''));
}

async function deleteKey(billing: Billing, { context, user, params, body }: UserCall) {
  parseBody(noFields, body ?? {});
  return toKeyJson(await billing.deleteKey(context, user.accountId, params.id ?? ''));
}
