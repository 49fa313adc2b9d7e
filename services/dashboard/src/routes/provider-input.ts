import { z } from 'zod';
import type { CredentialDraft, CredentialLimits, SecretDraft } from '../domain/configured-provider';
import { pricesBody, tokenPrices } from './model-input';
import { label, modelSlug, usdAmount } from './parse-input';

// Checks only types and sizes; catalog validates entries.
const MAX_TOKENS = 2_000_000_000;
const MAX_SECRET_CHARS = 16 * 1024;
const tokens = z.int().min(0).max(MAX_TOKENS);
const words = z.array(z.string().min(1).max(64)).max(50);
const upstreamModel = z.string().min(1).max(200);
const weight = z.int().min(0).max(1_000_000).optional();

const secret = {
  secret: z
    .union([z.string().min(1).max(MAX_SECRET_CHARS), z.record(z.string().max(100), z.unknown())])
    .optional()
    .meta({ description: 'An API key, or the JSON object of a cloud account; never returned' }),
  secret_ref: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .meta({ description: '`env:CREDENTIAL_…` or `file:…`, resolved by the services that call providers' }),
};

const limit = z
  .int()
  .min(1)
  .max(1_000_000_000)
  .nullish()
  .meta({ description: 'Of one instance of a service that calls the provider; null: none' });
const limits = {
  rpm_limit: limit,
  tpm_limit: limit,
  concurrency_limit: limit,
  daily_cost_limit: usdAmount
    .refine((nano) => nano > 0n, 'not more than 0')
    .nullish()
    .meta({
      description:
        'USD that the provider charges on a UTC day for the calls of all instances of chat, by the `cost` of the targets; a target without a cost and the calls of media count nothing. null: none',
    }),
};

const credentialBody = z.strictObject({ name: label(100), ...secret, weight, ...limits });

const settings = {
  name: label(100),
  base_url: z.string().max(2_000),
  headers: z.record(z.string().max(100), z.string().max(2_000)),
  options: z.record(z.string().max(100), z.unknown()),
};

export const createProviderBody = z.strictObject({
  id: z.string().min(1).max(63),
  kind: z.string().min(1).max(40),
  name: settings.name.optional(),
  base_url: settings.base_url
    .default('')
    .meta({ description: 'May be omitted if the kind or the options determine it' }),
  headers: settings.headers.default({}),
  options: settings.options.default({}),
  credentials: z.array(credentialBody).max(50).default([]),
});

export const updateProviderBody = z.strictObject({ ...settings, enabled: z.boolean() }).partial();

export const createCredentialBody = credentialBody;

export const updateCredentialBody = z
  .strictObject({ name: label(100), ...secret, weight, ...limits, enabled: z.boolean() })
  .partial();

export const testProviderBody = z.strictObject({
  credential_id: z.string().min(1).max(64).optional().meta({ description: 'Default: the first usable one' }),
  model: upstreamModel
    .optional()
    .meta({ description: 'Called with a short prompt; absent: models are listed' }),
});

const importedModel = z.strictObject({
  upstream_model: upstreamModel,
  slug: modelSlug.optional(),
  name: label(200).optional(),
  input_modalities: words.min(1).default(['text']),
  output_modalities: words.min(1).default(['text']),
  context_length: tokens.default(0),
  max_output_tokens: tokens.default(0),
  capabilities: words.default([]),
  weight: z.int().min(1).max(1_000_000).default(1),
  priority: z.int().min(0).max(1_000).default(0),
  cost: tokenPrices.nullish().meta({ description: 'What the provider charges, USD per million tokens' }),
  pricing: pricesBody.optional().meta({ description: 'Required unless a model with this slug exists' }),
});
export type ImportedModel = z.output<typeof importedModel>;

export const importModelsBody = z.strictObject({ models: z.array(importedModel).min(1).max(200) });

export const endpointModelsQuery = z.object({
  markup_percent: z
    .string()
    .regex(/^\d{1,5}(\.\d{1,9})?$/, 'not a decimal')
    .default('0')
    .meta({ description: 'Added to the costs of the price list, such as `12.5`' }),
  list_provider: z
    .string()
    .max(64)
    .default('')
    .meta({ description: "The provider's id in the price list; default: by its preset, id and kind" }),
});

interface SecretInput {
  readonly secret?: string | Readonly<Record<string, unknown>> | undefined;
  readonly secret_ref?: string | undefined;
}

/** Returns undefined if there is neither a secret nor a reference. */
export function toSecret({ secret: value, secret_ref: reference }: SecretInput): SecretDraft | undefined {
  if (value === undefined && reference === undefined) return undefined;
  const text = typeof value === 'object' ? JSON.stringify(value) : (value ?? '');
  // Catalog refuses both together.
  return { value: text, reference: reference ?? '' };
}

type LimitsInput = { readonly [Name in keyof typeof limits]?: z.output<(typeof limits)[Name]> };

/** Returns the given limits; 0 for null, which removes one. */
export const toLimits = ({
  rpm_limit,
  tpm_limit,
  concurrency_limit,
  daily_cost_limit,
}: LimitsInput): CredentialLimits => ({
  ...(rpm_limit !== undefined && { requestsPerMinute: rpm_limit ?? 0 }),
  ...(tpm_limit !== undefined && { tokensPerMinute: tpm_limit ?? 0 }),
  ...(concurrency_limit !== undefined && { concurrency: concurrency_limit ?? 0 }),
  ...(daily_cost_limit !== undefined && { costPerDayNano: daily_cost_limit ?? 0n }),
});

export const toCredential = ({
  name,
  weight: share,
  ...rest
}: z.output<typeof credentialBody>): CredentialDraft => ({
  name,
  secret: toSecret(rest) ?? { value: '', reference: '' },
  weight: share,
  limits: toLimits(rest),
});
