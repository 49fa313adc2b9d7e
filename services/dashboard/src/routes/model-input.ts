import { AUDIO_RATE_NAMES, eachOf, IMAGE_RATE_NAMES, TOKEN_RATE_NAMES } from '@gateway/pricing';
import { z } from 'zod';
import { imageFeatures, videoFeatures } from './feature-input';
import { label, modelName, modelSlug, usdAmount } from './parse-input';

// Checks only types and sizes; catalog validates entries.
const MAX_TOKENS = 2_000_000_000;
const word = z.string().min(1).max(64);
const words = z.array(word).max(50);
const tokens = z.number().int().min(0).max(MAX_TOKENS);
const price = usdAmount.nullish();
const timeoutMs = z.number().int().min(0).max(3_600_000).default(0);

const rates = eachOf(TOKEN_RATE_NAMES, price);
export const tokenPrices = z.strictObject({
  ...rates,
  service_tiers: z.record(word, z.strictObject(rates)).nullish(),
  long_context: z.strictObject({ above_tokens: tokens.min(1), ...rates }).nullish(),
  units: z.record(word, usdAmount).nullish(),
});

export const targetFields = {
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
  .enum(['weighted', 'priority', 'least-busy', 'lowest-latency', 'lowest-price'])
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

const oneImage = z.strictObject({
  size: z.string().max(64).default(''),
  quality: z.string().max(64).default(''),
  price: usdAmount,
});

/** Prices in USD, in the structure in which models show them. */
export const pricesBody = z.strictObject({
  source: label(500).default('set by an operator'),
  source_date: z.iso.date().default(() => new Date().toISOString().slice(0, 10)),
  tokens: tokenPrices.nullish(),
  image: z
    .strictObject({
      per_image: z.array(oneImage).max(200).nullish(),
      ...eachOf(IMAGE_RATE_NAMES, price),
    })
    .nullish(),
  video: z
    .strictObject({
      tiers: words.min(1),
      default_tier: word.nullish(),
      per_second: z.record(word, usdAmount),
    })
    .nullish(),
  audio: z.strictObject(eachOf(AUDIO_RATE_NAMES, price)).nullish(),
});

/** New prices of an existing model, for the version of its prices that the operator has seen. */
export const setPricesBody = pricesBody.extend({
  if_version: z.int().min(1).nullish().meta({
    description: '`pricing.version` that the change is based on; refused if it is no longer the current one',
  }),
});

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
