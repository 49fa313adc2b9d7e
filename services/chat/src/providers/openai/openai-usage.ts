import { isObject, type JsonObject, membersOf, tokenFigure } from '@gateway/upstream';
import { type TokenUsage, type UsageMode, withAudio } from '../../domain/usage';
import { tokensOf } from '../token-figures';

/**
 * Reads the usage of a completion or of a stream's usage chunk, or of a response, which has other names for the same; undefined if
 * there is none. Cache reads are in `cached_tokens`; DeepSeek reports them in `prompt_cache_hit_tokens`, Mistral (also) in
 * `num_cached_tokens`, Moonshot beside the details, Databricks in `cache_read_input_tokens`. Requesty reports writes in
 * `caching_tokens`, Alibaba and Databricks in `cache_creation_input_tokens`.
 */
export function fromOpenAiUsage(usage: unknown, mode: UsageMode): TokenUsage | undefined {
  if (!isObject(usage)) return undefined;
  const inputDetails = membersOf(usage.prompt_tokens_details ?? usage.input_tokens_details);
  const outputDetails = membersOf(usage.completion_tokens_details ?? usage.output_tokens_details);
  const tokens = tokensOf(
    {
      prompt: tokenFigure(usage.prompt_tokens ?? usage.input_tokens),
      cache_read: firstFigure(
        inputDetails.cached_tokens,
        usage.prompt_cache_hit_tokens,
        usage.num_cached_tokens,
        usage.cached_tokens,
        usage.cache_read_input_tokens,
      ),
      cache_write: firstFigure(
        inputDetails.cache_write_tokens,
        inputDetails.caching_tokens,
        inputDetails.cache_creation_input_tokens,
        inputDetails.cache_creation_tokens,
        usage.cache_creation_input_tokens,
      ),
      completion: tokenFigure(usage.completion_tokens ?? usage.output_tokens),
      reasoning: firstFigure(outputDetails.reasoning_tokens),
      total: tokenFigure(usage.total_tokens),
    },
    mode,
  );
  if (!tokens) return undefined;
  const audio = firstFigure(inputDetails.audio_tokens);
  const cachedDetails = membersOf(inputDetails.cached_tokens_details);
  // Without a figure, as little of the audio as possible is taken for cached: it costs less.
  const cachedAudio = tokenFigure(cachedDetails.audio_tokens) ?? Math.max(0, audio - tokens.input);
  return withAudio(tokens, {
    input: Math.max(0, audio - cachedAudio),
    cacheRead: cachedAudio,
    output: firstFigure(outputDetails.audio_tokens),
  });
}

/** Returns the first plausible figure that is not 0, else 0. */
function firstFigure(...values: readonly unknown[]): number {
  for (const value of values) {
    const figure = tokenFigure(value);
    if (figure) return figure;
  }
  return 0;
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

/** Returns the service tier that a completion or chunk reports. */
export const serviceTierOf = ({ service_tier: tier }: JsonObject): string | undefined =>
  typeof tier === 'string' ? tier : undefined;
