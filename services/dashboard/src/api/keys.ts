import { isAddressRange, KEY_SCOPES } from '@gateway/models';
import { z } from 'zod';
import {
  allowedModel,
  count,
  id,
  type Json,
  type JsonBody,
  label,
  time,
  UNSUPPORTED_TOOLS,
  usd,
  usdAmount,
} from './fields';

const key = {
  id,
  name: z.string(),
  status: z.enum(['enabled', 'disabled', 'deleted', 'revoked']),
  hint: z.string().meta({ description: 'The last characters of its value' }),
  revoked_at: time.nullable(),
  revoke_reason: z.string().nullable().meta({ description: 'Why it was revoked, such as where it leaked' }),
  created_at: time,
  expires_at: time.nullable(),
  allowed_models: z.array(z.string()).meta({
    description:
      'Slugs, patterns such as `openai/*`, and types such as `type:chat`; empty allows every model',
  }),
  daily_limit: usd.nullable(),
  monthly_limit: usd.nullable(),
  request_cost_limit: usd.nullable(),
  rpm_limit: count.nullable(),
  tpm_limit: count.nullable(),
  bare_model_names: z.boolean().nullable().meta({ description: "Null: use the account's setting" }),
  fallback_models: z.boolean().meta({ description: 'Fallback models may answer its calls' }),
  unsupported_tools: z.enum(UNSUPPORTED_TOOLS),
  detailed_messages: z.boolean().meta({ description: "An error's `detail` also follows in its `message`" }),
  scopes: z.array(z.string()).nullable().meta({ description: 'Null: everything' }),
  allowed_ips: z.array(z.string()).nullable().meta({ description: 'Null: every address' }),
  owner_limits: z.array(z.string()).meta({
    description:
      'Fields that an owner has limited: members can not change them. `status`: an owner disabled the key',
  }),
  holder_ids: z.array(z.string()).meta({
    description:
      'Users to whom a value of the key was shown that may still be valid; unknown for values of older versions',
  }),
};
export const keyResponse = z.object(key).meta({ id: 'Key' });
export const spendWindow = z.object({
  used: usd.meta({ description: 'Includes funds reserved for in-flight requests' }),
  resets_at: time,
});
export const keyUseResponse = z
  .object({
    day: spendWindow,
    month: spendWindow,
    account_day: spendWindow.meta({ description: 'All keys of the account' }),
    minute: z
      .object({ requests: count, tokens: count })
      .nullable()
      .meta({ description: 'In the last minute; null for a key without request and token limits' }),
  })
  .meta({ id: 'KeyUse' });
export const newKeyResponse = z
  .object({ ...key, key: z.string().meta({ description: '`sk-gw-…`, shown once' }) })
  .meta({ id: 'NewKey' });
export const revokedKeyResponse = z.object({ ...key, account_id: id });
export const leakedValuesResponse = z.object({
  data: z
    .array(
      z.object({
        key_id: id.nullable(),
        account_id: id.nullable(),
        hint: z.string().nullable(),
        outcome: z.enum(['key_revoked', 'value_ended', 'unchanged', 'unknown']),
      }),
    )
    .meta({ description: 'In the order of the submitted values; the values are not returned' }),
});
export const scannedSecretsResponse = z
  .array(
    z.object({
      token_hash: z.string().meta({ description: 'SHA-256 of the token, in hexadecimal' }),
      token_type: z.string(),
      label: z.enum(['true_positive', 'false_positive']),
    }),
  )
  .meta({ id: 'ScannedSecrets' });
export const foundKeyResponse = z.object({
  ...key,
  account_id: id,
  value_ends_at: time.nullable().meta({
    description: 'When a rotated value expires or expired; null for the current value',
  }),
});

const MAX_ALLOWED_MODELS = 500;
const MAX_RANGES = 100;
const MAX_RATE = 1_000_000_000;

const rate = z.number().int().min(0).max(MAX_RATE).nullish();
const usdLimit = usdAmount.nullish();
const name = label(200);

const limits = {
  // Empty means never. A time in the past creates a key that is already expired.
  expires_at: z.union([z.iso.datetime({ offset: true }), z.literal('')]).nullish(),
  allowed_models: z
    .array(allowedModel)
    .max(MAX_ALLOWED_MODELS)
    .nullish()
    .meta({
      description:
        'Slugs, or aliases, which are stored as the slugs that they stand for; patterns with one `*`, such as `openai/*`; and types of ' +
        'models, such as `type:chat`. A model is allowed if any of them matches. Empty or null: every model',
    }),
  daily_limit: usdLimit,
  monthly_limit: usdLimit,
  request_cost_limit: usdLimit,
  rpm_limit: rate,
  tpm_limit: rate,
  bare_model_names: z.boolean().nullish().meta({
    description:
      "Models may be called by names without a provider, such as `gpt-4o`; null: use the account's setting",
  }),
  scopes: z
    .array(z.enum(KEY_SCOPES))
    .min(1, 'empty: a key without scopes could do nothing; null allows everything')
    .max(KEY_SCOPES.length)
    .nullish()
    .meta({
      description:
        'The endpoints that the key may call, `account_content` to see what was stored with other keys of the account, and `billing` ' +
        "to see the account's funds; null: everything. Other endpoints return `not_found`",
    }),
  allowed_ips: z
    .array(z.string().trim().max(50).refine(isAddressRange, 'neither an IP address nor a CIDR range'))
    .min(1, 'empty: a key without addresses could not be used; null allows every address')
    .max(MAX_RANGES)
    .nullish()
    .meta({
      description:
        'IP addresses and CIDR ranges from which the key may be used; null: every address. From others it is `invalid_api_key`',
    }),
  fallback_models: z.boolean().optional().meta({
    description: 'When every target of a model fails, its fallback models may answer. Default: true',
  }),
  unsupported_tools: z
    .enum(UNSUPPORTED_TOOLS)
    .optional()
    .meta({
      description:
        'What happens to chat calls with built-in tools that the model can not have: `refuse` (the default), or `drop`: they are left ' +
        'out, and the response header `x-gateway-dropped-tools` names them',
    }),
  detailed_messages: z.boolean().optional().meta({
    description:
      "An error's `detail` also follows in its `message`, for clients that show nothing else. Default: false",
  }),
};

export const createKeyBody = z.strictObject({ name, ...limits });
export const updateKeyBody = z.strictObject({ name: name.optional(), ...limits });

const MAX_GRACE_SECONDS = 30 * 24 * 60 * 60;

export const rotateBody = z.strictObject({ grace_seconds: z.number().int().min(0).max(MAX_GRACE_SECONDS) });

const MAX_VALUES = 100;
const MAX_VALUE = 1_000;
/** Enough for the scan of one push; longer reports must be split. */
const MAX_SECRETS = 1_000;

export const revokeLeakedBody = z.strictObject({
  values: z.array(z.string().min(1).max(MAX_VALUE)).min(1).max(MAX_VALUES),
  reason: label(200).optional(),
});

/** Its other fields serve other partners of the scanner. */
export const scannedSecretsBody = z
  .array(
    z.object({
      token: z.string().min(1),
      type: z.string().max(200),
      url: z.string().nullish(),
      source: z.string().max(100).nullish(),
    }),
  )
  .max(MAX_SECRETS);

/** Values are in the body, because paths and queries are logged. */
export const findKeyBody = z.strictObject({ value: z.string().min(1).max(1_000) });

export type ApiKey = Json<typeof keyResponse>;
export type NewApiKey = Json<typeof newKeyResponse>;
export type FoundKey = Json<typeof foundKeyResponse>;
export type LeakedValue = Json<typeof leakedValuesResponse>['data'][number];
export type KeyUse = Json<typeof keyUseResponse>;
export type KeyInput = JsonBody<typeof createKeyBody>;
export type KeyChange = JsonBody<typeof updateKeyBody>;
export type RevokedKey = Json<typeof revokedKeyResponse>;
export type RotateInput = JsonBody<typeof rotateBody>;
export type FindKeyInput = JsonBody<typeof findKeyBody>;
