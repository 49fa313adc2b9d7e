import { isObject, type JsonObject, tokenFigure } from '@gateway/upstream';
import { type PartCounting, type TokenUsage, type UsageMode, withAudio } from '../../domain/usage';

/**
 * Reads the usage of a completion or of a stream's usage chunk; undefined if there is none. `prompt_tokens` includes cache
 * writes. DeepSeek reports reads in `prompt_cache_hit_tokens`, Mistral (also) in `num_cached_tokens`, Moonshot in
 * `cached_tokens`; Requesty reports writes in `caching_tokens`, Alibaba in `cache_creation_input_tokens`.
 */
export function fromOpenAiUsage(usage: unknown, mode: UsageMode): TokenUsage | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = tokenFigure(usage.prompt_tokens);
  const completion = tokenFigure(usage.completion_tokens);
  if (prompt === undefined || completion === undefined) return undefined;
  const inputDetails = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const outputDetails = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const cached =
    tokenFigure(inputDetails.cached_tokens) ||
    tokenFigure(usage.prompt_cache_hit_tokens) ||
    tokenFigure(usage.num_cached_tokens) ||
    tokenFigure(usage.cached_tokens) ||
    0;
  const isCachedSeparate = isSeparate(mode.cached, cached, prompt);
  const cacheRead = isCachedSeparate ? cached : Math.min(prompt, cached);
  const uncached = isCachedSeparate ? prompt : prompt - cacheRead;
  const written =
    tokenFigure(inputDetails.cache_write_tokens) ||
    tokenFigure(inputDetails.caching_tokens) ||
    tokenFigure(inputDetails.cache_creation_input_tokens) ||
    tokenFigure(inputDetails.cache_creation_tokens) ||
    0;
  const cacheWrite = Math.min(uncached, written);
  const reasoning = tokenFigure(outputDetails.reasoning_tokens) ?? 0;
  const input = uncached - cacheWrite;
  const audio = tokenFigure(inputDetails.audio_tokens) ?? 0;
  const cachedDetails = isObject(inputDetails.cached_tokens_details)
    ? inputDetails.cached_tokens_details
    : {};
  // Without a figure, as little of the audio as possible is taken for cached: it costs less.
  const cachedAudio = tokenFigure(cachedDetails.audio_tokens) ?? Math.max(0, audio - input);
  const tokens = {
    input,
    cacheRead,
    cacheWrite,
    output: isSeparate(mode.reasoning, reasoning, completion) ? completion + reasoning : completion,
    reasoning,
  };
  return withAudio(tokens, {
    input: Math.max(0, audio - cachedAudio),
    cacheRead: cachedAudio,
    output: tokenFigure(outputDetails.audio_tokens) ?? 0,
  });
}

/**
 * Returns a reply or chunk with its usage at the top, where the format has it; the same object if there is nothing to move.
 * @param member contains the usage at some providers
 */
export function withTopUsage(holder: JsonObject, member: string | undefined): JsonObject {
  if (member === undefined || isObject(holder.usage)) return holder;
  const inner = holder[member];
  if (!isObject(inner) || !isObject(inner.usage)) return holder;
  const { usage, ...others } = inner;
  return { ...holder, [member]: others, usage };
}

const isSeparate = (counting: PartCounting, part: number, whole: number): boolean =>
  counting === 'separate' || (counting === 'detect' && part > whole);

/** Returns the service tier that a completion or chunk reports. */
export const serviceTierOf = ({ service_tier: tier }: JsonObject): string | undefined =>
  typeof tier === 'string' ? tier : undefined;
