import { z } from 'zod';
import { limits } from './billing';
import { cellQuery, emailAddress, id, type Json, type JsonBody, label, pageQuery, time, usd } from './fields';
import { password } from './members';

const settings = {
  bare_model_names: z.boolean().meta({
    description: 'Keys without a setting of their own may call models by names without a provider',
  }),
};
export const settingsResponse = z.object(settings).meta({ id: 'AccountSettings' });

const account = {
  id,
  name: z.string(),
  status: z.enum(['active', 'suspended']),
  created_at: time,
  balance: usd,
  held: usd,
  available: usd,
  currency: z.literal('USD'),
  ...limits,
  ...settings,
  preview_models: z.array(z.string()),
  owner_email: z.string().nullable(),
  cell: z.string().meta({ description: 'Name of its cell; `home` if the gateway has only one' }),
};
export const accountResponse = z.object(account).meta({ id: 'Account' });
export const newAccountResponse = z.object({
  ...account,
  owner: z.object({ id, email: z.string(), name: z.string(), password }).optional(),
});
export const throttleResponse = z
  .object({ requests_per_second: z.int().nullable().meta({ description: 'Null if there is no throttle' }) })
  .meta({ id: 'Throttle' });

export const settingsBody = z.strictObject({ bare_model_names: z.boolean().optional() });

/** Per second, over all edges. */
const MAX_REQUESTS = 1_000_000;

export const accountsQuery = pageQuery.extend({
  ...cellQuery,
  query: label(200).or(z.literal('')).default(''),
});
export const createAccountBody = z.strictObject({
  name: label(200),
  owner: z.strictObject({ email: emailAddress, name: label(200).optional() }).optional(),
});
export const suspendBody = z.strictObject({ suspended: z.boolean().default(true) });
export const throttleBody = z.strictObject({
  requests_per_second: z.number().int().min(1).max(MAX_REQUESTS).nullable(),
});

export type AccountSettings = Json<typeof settingsResponse>;
export type SettingsChange = JsonBody<typeof settingsBody>;
export type Account = Json<typeof accountResponse>;
export type AccountInput = JsonBody<typeof createAccountBody>;
/** With the owner's first password, which is shown once. */
export type NewAccount = Json<typeof newAccountResponse>;
export type SuspendInput = JsonBody<typeof suspendBody>;
/** Of all callers together; null: there is none. */
export type PlatformThrottle = Json<typeof throttleResponse>;
export type ThrottleInput = JsonBody<typeof throttleBody>;
