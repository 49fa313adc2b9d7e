import { listOf, membersOf } from '@gateway/upstream';
import type { TokenUsage } from '../../domain/usage';

/** Far larger than any context. A larger figure is an error, and its cost would exceed the range of amounts. */
const MAX_TOKENS = 100_000_000;

/**
 * Reads the `usage` of a reply or of a stream's `metadata`; undefined if there is none. `inputTokens` excludes what is read
 * from or written to the cache, `cacheDetails` divides the writes by their lifetime, and `outputTokens` includes reasoning,
 * which has no figure of its own (SDK 3.1164, `TokenUsage`).
 */
export function readConverseUsage(value: unknown): TokenUsage | undefined {
  const usage = membersOf(value);
  const input = tokens(usage.inputTokens);
  const output = tokens(usage.outputTokens);
  if (input === undefined || output === undefined) return undefined;
  const written = tokens(usage.cacheWriteInputTokens) ?? 0;
  const cacheWriteLong = Math.min(written, longWrites(usage.cacheDetails));
  return {
    input,
    cacheRead: tokens(usage.cacheReadInputTokens) ?? 0,
    cacheWrite: written - cacheWriteLong,
    ...(cacheWriteLong > 0 && { cacheWriteLong }),
    output,
    reasoning: 0,
  };
}

function longWrites(details: unknown): number {
  return listOf(details)
    .map(membersOf)
    .filter(({ ttl }) => ttl === '1h')
    .reduce((sum, { inputTokens }) => sum + (tokens(inputTokens) ?? 0), 0);
}

function tokens(value: unknown): number | undefined {
  const credible = Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKENS;
  return credible ? (value as number) : undefined;
}
