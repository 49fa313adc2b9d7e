import { z } from 'zod';
import { STRATEGIES } from '../domain/listed-model';
import { imageFeatures, videoFeatures } from './features';
import { count, type Json, type JsonBody, label, modelName, modelSlug, tokens, word, words } from './fields';
import { model } from './models';
import { prices, pricesBody, tokenPrices } from './prices';

const timeoutMs = z.number().int().min(0).max(3_600_000).default(0);

const targetFields = {
  provider: word,
  upstream_model: z.string().min(1).max(200),
  weight: z.number().int().min(1).max(1_000_000).default(1),
  priority: z.number().int().min(0).max(1_000).default(0),
  connect_timeout_ms: timeoutMs,
  first_byte_timeout_ms: timeoutMs,
  idle_timeout_ms: timeoutMs,
};
const target = z.strictObject({
  ...targetFields,
  cost: tokenPrices.nullish().meta({ description: 'What the provider charges, USD per million tokens' }),
});
const strategy = z
  .enum(STRATEGIES)
  .meta({ description: 'How calls are spread over targets of one priority' });

const fields = {
  name: label(200),
  aliases: z.array(modelName).max(50),
  preview: z.boolean(),
  successor: modelSlug.nullable(),
  input_modalities: words.min(1),
  output_modalities: words.min(1),
  context_length: tokens,
  max_output_tokens: tokens,
  output_floor_tokens: tokens,
  max_image_tokens: tokens,
  capabilities: words,
  workflow: words,
  targets: z.array(target).max(20),
  strategy,
  fallback_models: z
    .array(modelSlug)
    .max(3)
    .meta({ description: 'Models that are tried, in this order, when every target has failed' }),
  image: imageFeatures.nullable(),
  video: videoFeatures.nullable(),
};

const service = {
  output_floor_tokens: count,
  max_image_tokens: count,
  targets: z.array(
    z.object({
      ...targetFields,
      cost: prices.tokens.unwrap().nullable().meta({ description: 'What the provider charges' }),
    }),
  ),
  strategy,
  fallback_models: z
    .array(z.string())
    .meta({ description: 'Models that are tried, in this order, when every target has failed' }),
};

export const catalogModelResponse = z.object({ ...model, ...service }).meta({ id: 'CatalogModel' });

export const createModelBody = z.strictObject({
  slug: modelSlug,
  ...fields,
  status: z.enum(['active', 'disabled']).default('active'),
  aliases: fields.aliases.default([]),
  preview: fields.preview.default(false),
  successor: fields.successor.default(null),
  context_length: tokens.default(0),
  max_output_tokens: tokens.default(0),
  output_floor_tokens: tokens.default(0),
  max_image_tokens: tokens.default(0),
  capabilities: words.default([]),
  workflow: words.default([]),
  strategy: strategy.default('weighted'),
  fallback_models: fields.fallback_models.default([]),
  image: fields.image.default(null),
  video: fields.video.default(null),
  pricing: pricesBody,
});

export const updateModelBody = z.strictObject(fields).partial();
export const statusBody = z.strictObject({ status: z.enum(['active', 'disabled']) });
export const delistBody = z.strictObject({ successor: modelSlug.nullish() });

/** A model with the fields that only operators see. */
export type AdminModel = Json<typeof catalogModelResponse>;
export type ModelInput = JsonBody<typeof createModelBody>;
export type ModelChange = JsonBody<typeof updateModelBody>;
export type ModelTarget = AdminModel['targets'][number];
export type TargetInput = JsonBody<typeof target>;
export type { Strategy } from '../domain/listed-model';
export type ModelStatusChange = JsonBody<typeof statusBody>;
export type DelistInput = JsonBody<typeof delistBody>;
