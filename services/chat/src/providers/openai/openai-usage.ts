import { isObject, type JsonObject } from '@gateway/upstream';
import type { TokenUsage, UsageMode } from '../../domain/usage';

/** Far larger than any context. A larger figure is an error, and its cost would exceed the range of amounts. */
const MAX_TOKENS = 100_000_000;

/**
 * Reads the usage of a completion or of a stream's usage chunk; undefined if there is none. `prompt_tokens` includes cache
 * reads and writes. DeepSeek reports reads in `prompt_cache_hit_tokens`, Mistral (also) in `num_cached_tokens`.
 */
export function fromOpenAiUsage(usage: unknown, mode: UsageMode): TokenUsage | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = tokens(usage.prompt_tokens);
  const completion = tokens(usage.completion_tokens);
  if (prompt === undefined || completion === undefined) return undefined;
  const inputDetails = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const outputDetails = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const cacheRead = Math.min(
    prompt,
    tokens(inputDetails.cached_tokens) ||
      tokens(usage.prompt_cache_hit_tokens) ||
      tokens(usage.num_cached_tokens) ||
      0,
  );
  const cacheWrite = Math.min(prompt - cacheRead, tokens(inputDetails.cache_write_tokens) ?? 0);
  const reasoning = tokens(outputDetails.reasoning_tokens) ?? 0;
  return {
    input: prompt - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: mode.reasoning === 'apart' ? completion + reasoning : completion,
    reasoning,
  };
}

/** Returns the service tier that a completion or chunk reports. */
export const serviceTierOf = ({ service_tier: tier }: JsonObject): string | undefined =>
  typeof tier === 'string' ? tier : undefined;

function tokens(value: unknown): number | undefined {
  const credible = Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKENS;
  return credible ? (value as number) : undefined;
}
