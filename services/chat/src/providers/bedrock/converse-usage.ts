import { listOf, membersOf, tokenFigure } from '@gateway/upstream';
import type { TokenUsage } from '../../domain/usage';

/**
 * Reads the `usage` of a reply or of a stream's `metadata`; undefined if there is none. A missing
 * figure follows from the total, else it is 0. `inputTokens` excludes what is read
 * from or written to the cache, `cacheDetails` divides the writes by their lifetime, and `outputTokens` includes reasoning,
 * which has no figure of its own (SDK 3.1164, `TokenUsage`).
 */
export function readConverseUsage(value: unknown): TokenUsage | undefined {
  const usage = membersOf(value);
  const input = tokenFigure(usage.inputTokens);
  const output = tokenFigure(usage.outputTokens);
  if (input === undefined && output === undefined) return undefined;
  const cache_read = tokenFigure(usage.cacheReadInputTokens) ?? 0;
  const written = tokenFigure(usage.cacheWriteInputTokens) ?? 0;
  // `totalTokens` includes reads and writes.
  const total = tokenFigure(usage.totalTokens) ?? 0;
  const missing = Math.max(0, total - cache_read - written - (input ?? 0) - (output ?? 0));
  const longWritten = Math.min(written, longWrites(usage.cacheDetails));
  return {
    input: input ?? missing,
    cache_read,
    cache_write: written - longWritten,
    ...(longWritten > 0 && { cache_write_1h: longWritten }),
    output: output ?? missing,
    reasoning: 0,
  };
}

function longWrites(details: unknown): number {
  return listOf(details)
    .map(membersOf)
    .filter(({ ttl }) => ttl === '1h')
    .reduce((sum, { inputTokens }) => sum + (tokenFigure(inputTokens) ?? 0), 0);
}
