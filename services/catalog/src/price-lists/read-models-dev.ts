import { z } from 'zod';
import { problemsOf } from '../seed/seed-schema';
import { nanoPerMillion } from './amount';
import { assemblePricing, type ListedPrices, type ListedRates } from './assemble-pricing';
import { priceKey } from './find-price';
import { effortCapabilities, flag, modelName, providerId, tierName, tokenLimit, words } from './list-schema';
import {
  type Candidate,
  EntryRejected,
  isRecord,
  modalitiesOf,
  NOT_CHAT,
  type PricedModel,
  printable,
} from './price-list';
import { isOfRegionOrMode, REGION_OR_MODE } from './region-or-mode';

const MAX_TIERS = 20;
/** The list has no kind of model. */
const NOT_CHAT_NAME = /embed|rerank|whisper|tts|moderation|transcri/i;

const usdPerMillion = z.number().transform((value, context) => {
  const nano = nanoPerMillion(value, 'usdPerMillion');
  if (nano !== undefined) return nano;
  context.addIssue('is not an amount of USD');
  return z.NEVER;
});

/** USD per million tokens (packages/core/src/schema.ts). An unknown price is an error. */
const cost = z.strictObject({
  input: usdPerMillion,
  output: usdPerMillion,
  reasoning: usdPerMillion.optional(),
  cache_read: usdPerMillion.optional(),
  cache_write: usdPerMillion.optional(),
  input_audio: usdPerMillion.optional(),
  output_audio: usdPerMillion.optional(),
});
type Cost = z.output<typeof cost>;

const contextTier = cost.extend({
  tier: z.strictObject({ type: z.literal('context').default('context'), size: z.number() }),
});

const reasoningOption = z.looseObject({ type: z.string(), values: z.array(z.unknown()).catch([]) });

const modelSchema = z.object({
  name: z.string().catch(''),
  family: z.string().catch(''),
  reasoning: flag,
  reasoning_options: z.array(reasoningOption).catch([]),
  tool_call: flag,
  structured_output: flag,
  modalities: z.object({ input: words, output: words }),
  limit: z.object({ context: tokenLimit, output: tokenLimit }).catch({ context: 0, output: 0 }),
  cost: z
    .preprocess(
      withoutRegions,
      cost.extend({ tiers: z.array(contextTier).default([]), context_over_200k: cost.optional() }),
    )
    .optional(),
  experimental: z
    .object({
      modes: z
        .record(tierName, z.object({ cost: cost.optional(), provider: z.unknown() }))
        .refine((modes) => Object.keys(modes).length <= MAX_TIERS, `more than ${MAX_TIERS} modes`)
        .default({}),
    })
    .default({ modes: {} }),
});
type Model = z.output<typeof modelSchema>;

/** The request of a mode that is a service tier and nothing else. */
const serviceTierRequest = z.strictObject({ body: z.strictObject({ service_tier: tierName }) });

/** Returns the models of a parsed `api.json`, an object of providers by id. */
export function modelsDevCandidates(root: Readonly<Record<string, unknown>>): Candidate[] {
  return Object.entries(root).flatMap(([provider, value]) => {
    if (!isRecord(value) || !isRecord(value.models)) return [notAProvider(provider)];
    return Object.entries(value.models).map(([id, model]) => ({
      name: `${provider}/${id}`,
      key: priceKey({ provider, upstreamModel: id }),
      read: () => readModel(provider, id, model),
    }));
  });
}

const notAProvider = (name: string): Candidate => ({
  name,
  key: undefined,
  read: () => {
    throw new EntryRejected('not a provider');
  },
});

/** @throws EntryRejected */
function readModel(provider: string, id: string, value: unknown): PricedModel {
  if (!providerId.safeParse(provider).success || !modelName.safeParse(id).success) {
    throw new EntryRejected('invalid name');
  }
  const parsed = modelSchema.safeParse(value);
  if (!parsed.success) throw new EntryRejected(problemsOf(parsed.error)[0] ?? 'invalid entry');
  const model = parsed.data;
  const outputs = modalitiesOf(model.modalities.output);
  const inputs = modalitiesOf(model.modalities.input);
  if (!isChat(id, model)) throw new EntryRejected(NOT_CHAT);
  if (!model.cost) throw new EntryRejected('no price');
  const { pricing, unpriced } = assemblePricing(listedPrices(model, model.cost));
  const { context, output } = model.limit;
  return {
    provider,
    upstreamModel: id,
    name: printable(model.name) || id,
    inputModalities: inputs,
    outputModalities: outputs.filter(
      (made) => made === 'text' || (made === 'audio' && pricing.audio_output !== undefined),
    ),
    contextLength: context,
    maxOutputTokens: context === 0 ? output : Math.min(output, context),
    capabilities: capabilitiesOf(id, model),
    pricing,
    unpriced: hasRegions(value) ? [...unpriced, REGION_OR_MODE] : unpriced,
  };
}

function withoutRegions(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([field]) => !isOfRegionOrMode(field)));
}

const hasRegions = (value: unknown): boolean =>
  isRecord(value) &&
  isRecord(value.cost) &&
  Object.entries(value.cost).some(([field, multiplier]) => isOfRegionOrMode(field) && multiplier !== 1);

/** A model that makes images has no price for them here. Audio is made on request only. */
function isChat(id: string, { modalities: { input, output }, family }: Model): boolean {
  if (!input.includes('text') || !output.includes('text')) return false;
  return !output.includes('image') && !output.includes('video') && !NOT_CHAT_NAME.test(`${family} ${id}`);
}

function listedPrices({ experimental, modalities }: Model, listed: NonNullable<Model['cost']>): ListedPrices {
  const { tiers, context_over_200k, ...base } = listed;
  const unpriced = new Set<string>();
  const serviceTiers = new Map<string, ListedRates>();
  for (const [mode, { cost: rates, provider }] of Object.entries(experimental.modes)) {
    const request = serviceTierRequest.safeParse(provider);
    if (rates && request.success) serviceTiers.set(request.data.body.service_tier, toListedRates(rates));
    else unpriced.add(`mode ${mode}`);
  }
  return {
    hears: modalities.input.includes('audio'),
    base: toListedRates(base),
    longContexts: longContexts(tiers, context_over_200k),
    serviceTiers,
    unpriced,
  };
}

function longContexts(tiers: readonly z.output<typeof contextTier>[], over200k: Cost | undefined) {
  // Beside `tiers` it repeats one of them, whose threshold may be higher.
  if (tiers.length === 0) return new Map(over200k && [[200_000, toListedRates(over200k)]]);
  const contexts = new Map(tiers.map(({ tier, ...rates }) => [tier.size, toListedRates(rates)]));
  if (contexts.size < tiers.length) throw new EntryRejected('two prices for one long-context threshold');
  return contexts;
}

const toListedRates = ({ input_audio, output_audio, ...rates }: Cost): ListedRates => ({
  ...rates,
  audio_input: input_audio,
  audio_output: output_audio,
});

function capabilitiesOf(id: string, model: Model): string[] {
  const { input } = model.modalities;
  const options = model.reasoning_options;
  const efforts = options.filter(({ type }) => type === 'effort').flatMap(({ values }) => values);
  const isClaude = model.reasoning && id.includes('claude');
  return [
    ...(model.tool_call ? ['tools'] : []),
    ...(input.includes('image') ? ['vision'] : []),
    ...(model.structured_output ? ['json_schema'] : []),
    ...(model.reasoning ? ['reasoning'] : []),
    // Claude got the effort `max` and adaptive thinking in the same version, 4.6.
    ...(isClaude && efforts.includes('max') ? ['adaptive_thinking'] : []),
    ...(isClaude && options.some(({ type }) => type === 'budget_tokens') ? ['thinking_budget'] : []),
    ...effortCapabilities(efforts),
  ];
}
