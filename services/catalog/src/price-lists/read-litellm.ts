import { z } from 'zod';
import { problemsOf } from '../seed/seed-schema';
import { assemblePricing } from './assemble-pricing';
import { priceKey } from './find-price';
import { effortCapabilities, flag, modelName, providerId, tokenLimit, words } from './list-schema';
import { litellmPrices, VIDEO_INPUT } from './litellm-prices';
import {
  type Candidate,
  EntryRejected,
  isRecord,
  modalitiesOf,
  NOT_CHAT,
  type PricedModel,
} from './price-list';

/** Describes the fields. */
const SAMPLE = 'sample_spec';
/** Ids of one provider's APIs and publishers, which share their names of models. */
const PROVIDER_OF_ID: readonly (readonly [RegExp, string])[] = [
  [/^vertex_ai-.*/, 'vertex_ai'],
  [/^bedrock_converse$/, 'bedrock'],
  [/^cohere_chat$/, 'cohere'],
];

/** Those of models that answer with text; `responses`: by OpenAI's Responses API only. */
const TEXT_MODES: readonly unknown[] = ['chat', 'responses'];

const optionalFlag = z.boolean().optional().catch(undefined);

const entrySchema = z.object({
  litellm_provider: providerId,
  max_input_tokens: tokenLimit,
  max_output_tokens: tokenLimit,
  max_tokens: tokenLimit,
  supported_modalities: words,
  supported_output_modalities: words,
  reasoning_effort_levels: words,
  supports_function_calling: flag,
  supports_response_schema: flag,
  supports_vision: flag,
  supports_pdf_input: flag,
  supports_audio_input: flag,
  supports_video_input: flag,
  supports_reasoning: flag,
  supports_adaptive_thinking: flag,
  supports_legacy_thinking: flag,
  thinking_always_on: flag,
  supports_none_reasoning_effort: optionalFlag,
  supports_minimal_reasoning_effort: optionalFlag,
  supports_low_reasoning_effort: optionalFlag,
  supports_xhigh_reasoning_effort: optionalFlag,
  supports_max_reasoning_effort: optionalFlag,
});
type Entry = z.output<typeof entrySchema>;

/** Returns the models of a parsed `model_prices_and_context_window.json`, an object of models by name. */
export function litellmCandidates(root: Readonly<Record<string, unknown>>): Candidate[] {
  return Object.entries(root)
    .filter(([name]) => name !== SAMPLE)
    .map(([name, value]) => ({ name, key: keyOf(name, value), read: () => readEntry(name, value) }));
}

function keyOf(name: string, value: unknown): string | undefined {
  const id = providerId.safeParse(isRecord(value) ? value.litellm_provider : undefined);
  if (!id.success) return undefined;
  const provider = providerOf(id.data);
  return priceKey({ provider, upstreamModel: withoutProvider(name, provider) });
}

/** @throws EntryRejected */
function readEntry(name: string, value: unknown): PricedModel {
  if (!isRecord(value) || !TEXT_MODES.includes(value.mode)) throw new EntryRejected(NOT_CHAT);
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) throw new EntryRejected(problemsOf(parsed.error)[0] ?? 'invalid entry');
  const entry = parsed.data;
  const provider = providerOf(entry.litellm_provider);
  const upstreamModel = withoutProvider(name, provider);
  if (!modelName.safeParse(upstreamModel).success) throw new EntryRejected('invalid name');
  const priced = assemblePricing(litellmPrices(value));
  const { pricing, unpriced } = priced;
  if (!isTextModel(entry.supported_output_modalities, unpriced)) throw new EntryRejected(NOT_CHAT);
  const inputs = inputsOf(entry, priced);
  const output = entry.max_output_tokens || entry.max_tokens;
  return {
    provider,
    upstreamModel,
    name: upstreamModel,
    inputModalities: inputs,
    outputModalities: ['text', ...(pricing.audio_output === undefined ? [] : (['audio'] as const))],
    // The list has the maximum input, which may be less than the window.
    contextLength: entry.max_input_tokens && Math.max(entry.max_input_tokens, output),
    maxOutputTokens: output,
    capabilities: capabilitiesOf(entry, inputs),
    pricing,
    unpriced,
  };
}

/**
 * Whether the model answers with text. Images or videos without a price are results of tools; with one, the model makes them
 * unless the list says otherwise. Audio is made on request only.
 */
function isTextModel(outputs: readonly string[], unpriced: readonly string[]): boolean {
  if (outputs.length > 0 && !outputs.includes('text')) return false;
  return ['image', 'video'].every(
    (output) => !unpriced.includes(`${output} output`) || (outputs.length > 0 && !outputs.includes(output)),
  );
}

function providerOf(id: string): string {
  return PROVIDER_OF_ID.find(([pattern]) => pattern.test(id))?.[1] ?? id;
}

/** The list prefixes most names with the provider (`groq/…`), some with a hyphen for its underscore. */
function withoutProvider(name: string, provider: string): string {
  const slash = name.indexOf('/');
  const prefix = name.slice(0, Math.max(0, slash)).replaceAll('-', '_');
  return prefix === provider.replaceAll('-', '_') ? name.slice(slash + 1) : name;
}

function inputsOf(entry: Entry, { pricing, unpriced }: ReturnType<typeof assemblePricing>) {
  return modalitiesOf([
    'text',
    ...entry.supported_modalities,
    ...(entry.supports_vision ? ['image'] : []),
    ...(entry.supports_pdf_input ? ['pdf'] : []),
    ...(entry.supports_audio_input ? ['audio'] : []),
    ...(entry.supports_video_input ? ['video'] : []),
  ]).filter(
    (input) =>
      (input !== 'audio' || pricing.audio_input !== undefined) &&
      (input !== 'video' || !unpriced.includes(VIDEO_INPUT)),
  );
}

function capabilitiesOf(entry: Entry, inputs: readonly string[]): string[] {
  const reasons = entry.supports_reasoning;
  // Claude thinks within a budget up to 4.6, and adapts from 4.6 on.
  const budget =
    entry.supports_legacy_thinking ||
    (entry.litellm_provider === 'anthropic' && !entry.supports_adaptive_thinking);
  return [
    ...(entry.supports_function_calling ? ['tools'] : []),
    ...(inputs.includes('image') ? ['vision'] : []),
    ...(entry.supports_response_schema ? ['json_schema'] : []),
    ...(reasons ? ['reasoning'] : []),
    ...(reasons && entry.supports_adaptive_thinking ? ['adaptive_thinking'] : []),
    ...(reasons && budget ? ['thinking_budget'] : []),
    ...(reasons && entry.thinking_always_on ? ['thinking_always'] : []),
    ...(reasons ? effortCapabilities(effortsOf(entry)) : []),
  ];
}

/** The list names efforts, or says which there are beside low, medium and high. Without either, none is known. */
function effortsOf(entry: Entry): string[] {
  if (entry.reasoning_effort_levels.length > 0) return entry.reasoning_effort_levels;
  const flags = {
    none: entry.supports_none_reasoning_effort,
    minimal: entry.supports_minimal_reasoning_effort,
    low: entry.supports_low_reasoning_effort,
    xhigh: entry.supports_xhigh_reasoning_effort,
    max: entry.supports_max_reasoning_effort,
  };
  if (Object.values(flags).every((supported) => supported === undefined)) return [];
  const efforts = Object.entries({ ...flags, low: flags.low ?? true, medium: true, high: true });
  return efforts.flatMap(([effort, supported]) => (supported ? [effort] : []));
}
