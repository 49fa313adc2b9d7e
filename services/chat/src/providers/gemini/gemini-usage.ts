import { membersOf } from '@gateway/upstream';
import type { TokenUsage } from '../../domain/usage';

/** Far larger than any context. A larger figure is an error, and its cost would exceed the range of amounts. */
const MAX_TOKENS = 100_000_000;

/**
 * Reads `usageMetadata` of a reply or of a stream's chunk, whose figures replace those of earlier chunks; undefined if there
 * is none. `promptTokenCount` includes cache reads, and excludes the input of the provider's own tools;
 * `candidatesTokenCount` excludes thoughts. Zeros are omitted.
 */
export function readGeminiUsage(usageMetadata: unknown): TokenUsage | undefined {
  const usage = membersOf(usageMetadata);
  const prompt = tokens(usage.promptTokenCount);
  const cached = tokens(usage.cachedContentTokenCount ?? 0);
  const fromTools = tokens(usage.toolUsePromptTokenCount ?? 0);
  const answer = tokens(usage.candidatesTokenCount ?? 0);
  const reasoning = tokens(usage.thoughtsTokenCount ?? 0);
  if (prompt === undefined || cached === undefined || fromTools === undefined) return undefined;
  if (answer === undefined || reasoning === undefined) return undefined;
  const cacheRead = Math.min(prompt, cached);
  return {
    input: prompt - cacheRead + fromTools,
    cacheRead,
    cacheWrite: 0,
    output: answer + reasoning,
    reasoning,
  };
}

function tokens(value: unknown): number | undefined {
  const credible = Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKENS;
  return credible ? (value as number) : undefined;
}
