import {
  AUDIO_RATE_NAMES,
  eachOf,
  IMAGE_RATE_NAMES,
  PRICED_UNIT_NAMES,
  TOKEN_RATE_NAMES,
  TOKEN_RATES,
} from '@gateway/pricing';
import { z } from 'zod';
import { nanoFromDecimal } from '../domain/decimal';
import { DEFAULT_STRATEGY, STRATEGIES } from '../domain/strategy';
import { imageFeatures, videoFeatures } from './feature-schema';
import { listOf, text } from './seed-types';

const SLUG = /^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._-]*$/;

/** A slug, or a model's name without the provider; some names of providers have capitals. */
const ALIAS = /^(?:[a-z0-9][a-z0-9._-]*\/)?[A-Za-z0-9][A-Za-z0-9._:-]*$/;
/** Clients send these names if their user has chosen no model. */
const PLACEHOLDER = /^(?:auto|default)$/i;

const alias = z
  .string()
  .max(200)
  .regex(ALIAS, 'is not <provider>/<model> or <model>')
  .refine((name) => !PLACEHOLDER.test(name), 'is a reserved name');

/** Digits that a floating-point number keeps. */
const EXACT_DIGITS = 15;

/** An amount of USD, as nano-USD: a decimal string, or a number that is exact. */
export const usd = z.union([z.string(), z.number()]).transform((value, context) => {
  const digits = typeof value === 'number' ? String(value).replace(/\D/g, '').length : 0;
  const nano = digits > EXACT_DIGITS ? undefined : nanoFromDecimal(String(value));
  if (nano !== undefined) return nano;
  context.addIssue('is not a decimal amount of USD with at most 9 decimals');
  return z.NEVER;
});

const tokens = z.number().int().min(0).max(2_000_000_000);
/** 0: the default of the service that answers. */
const timeoutMs = z.number().int().min(0).max(3_600_000).default(0);
const MODALITIES = ['text', 'image', 'video', 'audio', 'pdf'] as const;
const inputModality = z.enum(MODALITIES);
/** What models output that cost by their input, or by each unit of what they do. */
const INPUT_PRICED = ['embedding', 'moderation', 'rerank'] as const;
const outputModality = z.enum([...MODALITIES, ...INPUT_PRICED, 'speech', 'transcription']);

const rates = z.strictObject(eachOf(TOKEN_RATE_NAMES, usd.optional()));

/** USD per million tokens. */
const tokenPricing = rates.extend({
  service_tiers: z
    .record(text(64), rates)
    .refine((tiers) => Object.keys(tiers).length <= 20, 'more than 20 tiers')
    .default({}),
  long_context: rates.extend({ above_tokens: tokens.min(1) }).optional(),
  /** USD per unit. */
  units: z
    .partialRecord(z.enum(PRICED_UNIT_NAMES), usd)
    .refine(
      ({ web_search: each, web_search_prompt: prompt }) => each === undefined || prompt === undefined,
      'a search is charged by itself or by its prompt',
    )
    .default({}),
});

const imagePricing = z
  .strictObject({
    /** USD for one image. */
    per_image: z
      .array(
        z.strictObject({
          size: text(64).or(z.literal('')).default(''),
          quality: text(64).or(z.literal('')).default(''),
          price: usd,
        }),
      )
      .max(200)
      .refine(
        (prices) => new Set(prices.map(({ size, quality }) => `${size}\n${quality}`)).size === prices.length,
        'contains duplicates',
      )
      .default([]),
    ...eachOf(IMAGE_RATE_NAMES, usd.optional()),
  })
  .refine(({ per_image, input_megapixel }) => input_megapixel === undefined || per_image.length > 0, {
    message: 'requires prices per image',
    path: ['input_megapixel'],
  });

const audioPricing = z.strictObject(eachOf(AUDIO_RATE_NAMES, usd.optional()));

/** USD per second. */
const videoPricing = z
  .strictObject({
    tiers: listOf(text(64), 50).min(1),
    default_tier: z.string().optional(),
    per_second: z.record(z.string(), usd),
  })
  .superRefine((video, context) => {
    const unpriced = video.tiers.filter((tier) => !Object.hasOwn(video.per_second, tier));
    const unknown = Object.keys(video.per_second).filter((tier) => !video.tiers.includes(tier));
    if (unpriced.length > 0) context.addIssue(`tiers without a price: ${unpriced.join(', ')}`);
    if (unknown.length > 0) context.addIssue(`prices of unknown tiers: ${unknown.join(', ')}`);
    if (video.default_tier !== undefined && !video.tiers.includes(video.default_tier)) {
      context.addIssue({ code: 'custom', message: 'is not one of the tiers', path: ['default_tier'] });
    }
  });

const pricing = z.strictObject({
  source: text(500),
  source_date: z.iso.date(),
  tokens: tokenPricing.optional(),
  image: imagePricing.optional(),
  video: videoPricing.optional(),
  audio: audioPricing.optional(),
});

/** Each one adds to the work of every call of the model, because its cost is reserved too. */
const MAX_FALLBACK_MODELS = 3;

/** A catalog entry, written by the seed's files or by an operator. */
export const modelSchema = z
  .strictObject({
    slug: z.string().max(200).regex(SLUG, 'is not <provider>/<model> in lower case'),
    aliases: listOf(alias, 50).default([]),
    name: text(200),
    status: z.enum(['active', 'disabled', 'delisted']).default('active'),
    preview: z.boolean().default(false),
    successor: z.string().max(200).optional(),
    input_modalities: listOf(inputModality, 5).min(1),
    output_modalities: listOf(outputModality, 8).min(1),
    context_length: tokens.default(0),
    max_output_tokens: tokens.default(0),
    output_floor_tokens: tokens.default(0),
    max_image_tokens: tokens.default(0),
    capabilities: listOf(text(64), 50).default([]),
    workflow: listOf(z.enum(['create', 'status', 'result']), 3).default([]),
    targets: z
      .array(
        z.strictObject({
          provider: text(64),
          upstream_model: text(200),
          weight: z.number().int().min(1).max(1_000_000).default(1),
          priority: z.number().int().min(0).max(1_000).default(0),
          connect_timeout_ms: timeoutMs,
          first_byte_timeout_ms: timeoutMs,
          idle_timeout_ms: timeoutMs,
          /** What the provider charges. */
          cost: tokenPricing.optional(),
        }),
      )
      .max(20),
    strategy: z.enum(STRATEGIES).default(DEFAULT_STRATEGY),
    fallback_models: listOf(z.string().max(200), MAX_FALLBACK_MODELS).default([]),
    pricing,
    image: imageFeatures.optional(),
    video: videoFeatures.optional(),
  })
  .superRefine((entry, context) => {
    const wrong = (path: string, message: string) =>
      context.addIssue({ code: 'custom', message, path: [path] });
    const makes = (output: z.infer<typeof outputModality>) => entry.output_modalities.includes(output);
    const { tokens: perToken, image, video, audio } = entry.pricing;
    if (makes('text') && (perToken?.input === undefined || perToken.output === undefined)) {
      wrong('pricing', 'a text model needs input and output prices');
    }
    for (const problem of chatAudioProblems(perToken)) wrong('pricing', problem);
    if (makes('text') && entry.max_output_tokens === 0)
      wrong('max_output_tokens', 'a text model needs a maximum output');
    for (const output of INPUT_PRICED.filter(makes)) {
      const isByUnit = output === 'rerank' && perToken?.units.search_unit !== undefined;
      if (entry.output_modalities.length > 1)
        wrong('output_modalities', `a model with the output ${output} outputs nothing else`);
      if (perToken?.input === undefined && !isByUnit)
        wrong('pricing', `a model with the output ${output} needs an input price`);
      if (entry.context_length === 0)
        wrong('context_length', `a model with the output ${output} needs a context length`);
    }
    const audioModel = (['speech', 'transcription'] as const).find(makes);
    if (audioModel && entry.output_modalities.length > 1)
      wrong('output_modalities', `a ${audioModel} model outputs nothing else`);
    if (audioModel) for (const problem of audioPriceProblems(audioModel, audio)) wrong('pricing', problem);
    if (makes('image') && !image) wrong('pricing', 'an image model needs image prices');
    if (makes('video') && !video) wrong('pricing', 'a video model needs video prices');
    if (makes('video') && entry.workflow.length === 0)
      wrong('workflow', 'a video model needs workflow actions');
    if (entry.image && !makes('image')) wrong('image', 'requires the output modality image');
    if (entry.video && !makes('video')) wrong('video', 'requires the output modality video');
    if (entry.image?.output_tokens.length === 0 && image?.per_image.length === 0) {
      wrong('image', 'images priced by tokens need output_tokens');
    }
    if (entry.output_floor_tokens > entry.max_output_tokens) {
      wrong('output_floor_tokens', 'is above max_output_tokens');
    }
    if (entry.max_output_tokens > entry.context_length) wrong('max_output_tokens', 'is above context_length');
    if (entry.status === 'active' && entry.targets.length === 0) {
      wrong('targets', 'an active model needs a target');
    }
    if (entry.aliases.includes(entry.slug)) wrong('aliases', 'contains the slug');
    if (entry.successor === entry.slug) wrong('successor', 'is the model itself');
    if (entry.fallback_models.includes(entry.slug)) wrong('fallback_models', 'contains the model itself');
    if (entry.fallback_models.length > 0 && !makes('text'))
      wrong('fallback_models', 'requires the output modality text');
  });

/** A long context never falls back to the base's prices of audio, which may be below its price of text. */
function* chatAudioProblems(prices: z.output<typeof tokenPricing> | undefined): Generator<string> {
  if (!prices) return;
  const { long_context: long, service_tiers: tiers } = prices;
  for (const price of [prices, ...Object.values(tiers), ...(long ? [long] : [])])
    for (const rate of TOKEN_RATE_NAMES) {
      const { need, fallbacks } = TOKEN_RATES[rate];
      const [needed] = fallbacks.filter(
        (fallback) => need !== undefined && TOKEN_RATES[fallback].need === need,
      );
      if (needed && price[rate] !== undefined && price[needed] === undefined) yield `${rate} needs ${needed}`;
    }
  for (const name of ['audio_input', 'audio_output'] as const)
    if (long && prices[name] !== undefined && long[name] === undefined)
      yield `long_context needs ${name}, as the prices of short prompts have it`;
}

/** Speech is priced by characters, a transcription by duration, or both by their tokens of text and audio. */
function* audioPriceProblems(
  model: 'speech' | 'transcription',
  prices: z.output<typeof audioPricing> = {},
): Generator<string> {
  const [unit, input, output] =
    model === 'speech'
      ? (['million_characters', 'text_input', 'audio_output'] as const)
      : (['hour', 'audio_input', 'text_output'] as const);
  const hasTokens = prices[input] !== undefined && prices[output] !== undefined;
  if (prices[unit] === undefined && !hasTokens)
    yield `a ${model} model needs a price of ${unit}, or of ${input} and ${output}`;
  if (prices[unit] !== undefined && Object.values(prices).filter((price) => price !== undefined).length > 1)
    yield `a ${model} model with a price of ${unit} has no other price`;
}

/** One file of the seed folder. */
export const seedFile = z.strictObject({ models: z.array(modelSchema) });

export type SeedInput = z.input<typeof modelSchema>;
export type SeedModel = z.output<typeof modelSchema>;

/** Returns each problem with the path of its field. */
export const problemsOf = (error: z.ZodError): string[] =>
  error.issues.map((issue) => [issue.path.map(String).join('.'), issue.message].filter(Boolean).join(': '));
