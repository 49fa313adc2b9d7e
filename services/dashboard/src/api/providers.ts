import { z } from 'zod';
import {
  count,
  id,
  type Json,
  type JsonBody,
  label,
  listOf,
  milliseconds,
  modelSlug,
  time,
  tokens,
  usd,
  usdAmount,
  words,
} from './fields';
import { model } from './models';
import { prices, pricesBody, tokenPrices } from './prices';

const circuit = z.enum(['closed', 'cooling', 'suspect', 'open', 'half-open']);
const health = {
  circuit: circuit.nullable(),
  circuits: z.partialRecord(circuit, count),
  calls: count,
  errors: count,
  latency: z.object({ mean_ms: milliseconds, max_ms: milliseconds }).nullable(),
  last_failure: z.object({ code: z.string(), status: z.int().nullable(), at: time }).nullable(),
};
const credential = {
  id,
  name: z.string(),
  hint: z.string().nullable().meta({ description: 'End of the secret, or the reference to it' }),
  weight: count,
  enabled: z.boolean(),
  rpm_limit: count.nullable(),
  tpm_limit: count.nullable(),
  concurrency_limit: count.nullable(),
  daily_cost_limit: usd.nullable(),
  created_at: time.nullable(),
};
const credentialCost = {
  cost_today: usd.nullable().meta({
    description:
      "USD that chat's calls have cost on this UTC day, by the `cost` of the targets; null: not known",
  }),
  limited_until: time.nullable().meta({
    description: 'When a credential at its daily limit is used again; null: it is not at the limit',
  }),
};
const credentialRates = {
  cooling_until: time.nullable().meta({
    description: 'When all targets that have answered 429 are called again; null: none is cooling',
  }),
  rate_limits: z
    .object({
      upstream_model: z.string(),
      at: time,
      limits: z.array(
        z.object({
          name: z.string().meta({ description: "By the provider's name, such as `requests` and `tokens`" }),
          remaining: count,
          limit: count.nullable(),
          resets_at: time.nullable(),
        }),
      ),
    })
    .nullable()
    .meta({
      description:
        "The provider's rate limits, as the last reply to an instance of chat named them; null: it named none",
    }),
};
export const credentialResponse = z.object(credential).meta({ id: 'Credential' });
export const providerResponse = z
  .object({
    id,
    source: z
      .enum(['catalog', 'environment'])
      .nullable()
      .meta({ description: 'Where it is configured; null: nowhere, but a model names it' }),
    kind: z.string().nullable(),
    name: z.string().nullable(),
    base_url: z.string().nullable(),
    headers: z.record(z.string(), z.string()),
    options: z.record(z.string(), z.unknown()),
    enabled: z.boolean(),
    created_at: time.nullable(),
    credentials: z.array(z.object({ ...credential, ...credentialCost, ...health, ...credentialRates })),
    served_by: z.enum(['credentials', 'simulator', 'nobody']).nullable(),
    targets: z.array(
      z.object({
        upstream_model: z.string(),
        service: z.enum(['chat', 'media']),
        models: z.array(z.string()),
        ...health,
      }),
    ),
  })
  .meta({ id: 'Provider' });
export const probeResponse = z.object({
  ok: z.boolean(),
  credential: z.object({ id: z.string(), name: z.string() }),
  latency_ms: count,
  models: count.nullable().meta({ description: 'Models that the endpoint lists; null if one was called' }),
  failure: z
    .object({ status: z.int().nullable(), message: z.string() })
    .nullable()
    .meta({ description: 'Status null: there was no reply' }),
});
const listedPrices = z.object({ source: z.string(), source_date: z.string(), tokens: prices.tokens });
const endpointModel = z.object({
  upstream_model: z.string(),
  name: z.string().nullable(),
  input_modalities: model.input_modalities,
  output_modalities: model.output_modalities,
  context_length: count.nullable(),
  max_output_tokens: count.nullable(),
  capabilities: model.capabilities,
  pricing: listedPrices
    .nullable()
    .meta({ description: 'Cost and markup; null: the price list lacks the model' }),
  cost: listedPrices.nullable().meta({ description: 'What the provider charges' }),
  unpriced: z.array(z.string()).meta({ description: 'What the list prices and the gateway can not bill' }),
  price_problem: z.string().nullable().meta({
    description:
      'Why the list has no price for the model that can be used; null: it has one, or there is no list',
  }),
  suggested_slug: z.string(),
  slugs: z.array(z.string()).meta({ description: 'Models of the catalog that call it' }),
});
export const endpointModelsResponse = z.object({
  ...listOf(endpointModel).shape,
  price_list: z.object({
    source: z.string().nullable(),
    source_date: z.string().nullable(),
    problem: z.string().nullable().meta({ description: 'Why there is no price list' }),
  }),
});

export const importResponse = z.object({
  data: z.array(
    z.object({
      upstream_model: z.string(),
      slug: z.string(),
      outcome: z.enum(['created', 'target_added', 'unchanged', 'refused']),
      detail: z.string().optional().meta({ description: 'Why it was refused' }),
    }),
  ),
});
export const providersResponse = z.object({
  ...listOf(providerResponse).shape,
  services: z.array(
    z.object({ service: z.enum(['chat', 'media']), address: z.string(), status: z.enum(['up', 'away']) }),
  ),
  window_seconds: count,
});
const preset = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  base_url: z.string().meta({ description: 'May contain placeholders, such as `{account}`' }),
  api_key: z.enum(['required', 'optional', 'none']),
  docs: z.string().nullable().meta({ description: 'Documentation of the endpoint' }),
  options: z.record(z.string(), z.string()).meta({ description: '`options` of a provider with this preset' }),
});
export const providerPresetsResponse = z.object({
  ...listOf(preset).shape,
  kinds: z.array(
    z.object({
      kind: z.string(),
      base_url: z
        .string()
        .nullable()
        .meta({ description: 'Of providers without a `base_url`; null: required' }),
      options: z.array(z.string()).meta({ description: 'Names of its options other than `preset`' }),
    }),
  ),
});

const MAX_SECRET_CHARS = 16 * 1024;
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
export const credentialLimits = {
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

export const createCredentialBody = z.strictObject({
  name: label(100),
  ...secret,
  weight,
  ...credentialLimits,
});

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
  credentials: z.array(createCredentialBody).max(50).default([]),
});

export const updateProviderBody = z.strictObject({ ...settings, enabled: z.boolean() }).partial();

export const updateCredentialBody = z
  .strictObject({ name: label(100), ...secret, weight, ...credentialLimits, enabled: z.boolean() })
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

export type Provider = Json<typeof providerResponse>;
export type ProviderInput = JsonBody<typeof createProviderBody>;
export type ProviderChange = JsonBody<typeof updateProviderBody>;
export type ProviderList = Json<typeof providersResponse>;
export type TargetHealth = Provider['targets'][number];
export type CredentialHealth = Provider['credentials'][number];
export type RateLimit = NonNullable<CredentialHealth['rate_limits']>['limits'][number];
export type CircuitState = z.output<typeof circuit>;
export type Credential = Json<typeof credentialResponse>;
/** Null: none. */
export type CredentialLimits = Pick<Credential, keyof typeof credentialLimits>;
export type CredentialInput = JsonBody<typeof createCredentialBody>;
export type CredentialChange = JsonBody<typeof updateCredentialBody>;
export type ProviderPresets = Json<typeof providerPresetsResponse>;
export type Preset = ProviderPresets['data'][number];
export type ProbeSubject = JsonBody<typeof testProviderBody>;
export type ProbeResult = Json<typeof probeResponse>;
export type EndpointModels = Json<typeof endpointModelsResponse>;
export type EndpointModel = EndpointModels['data'][number];
export type ImportInput = JsonBody<typeof importModelsBody>;
export type ImportedModel = JsonBody<typeof importedModel>;
export type ImportResult = Json<typeof importResponse>;
export type ImportOutcome = ImportResult['data'][number];
/** As reported by the instances of chat and media for the last minutes. */
export type Health = Json<z.ZodObject<typeof health>>;
export type EndpointModelsQuery = JsonBody<typeof endpointModelsQuery>;
