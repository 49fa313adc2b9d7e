import { membersOf, tokenFigure } from '@gateway/upstream';
import { searchUnits, type TokenUsage } from '../../domain/usage';

/**
 * Reads the usage of a message; undefined if it has none. The three input figures do not overlap, and `output_tokens` includes
 * thinking (SDK 1.10, `Usage`); `cache_creation` has the cache writes with a lifetime of an hour.
 */
export function fromMessagesUsage(value: unknown): TokenUsage | undefined {
  const usage = membersOf(value);
  const input = tokenFigure(usage.input_tokens);
  const output = tokenFigure(usage.output_tokens);
  if (input === undefined || output === undefined) return undefined;
  const written = tokenFigure(usage.cache_creation_input_tokens) ?? 0;
  const writtenLong = tokenFigure(membersOf(usage.cache_creation).ephemeral_1h_input_tokens) ?? 0;
  const cacheWriteLong = Math.min(written, writtenLong);
  const reasoning = tokenFigure(membersOf(usage.output_tokens_details).thinking_tokens) ?? 0;
  const searches = tokenFigure(membersOf(usage.server_tool_use).web_search_requests) ?? 0;
  return {
    input,
    cacheRead: tokenFigure(usage.cache_read_input_tokens) ?? 0,
    cacheWrite: written - cacheWriteLong,
    ...(cacheWriteLong > 0 && { cacheWriteLong }),
    output,
    reasoning: Math.min(output, reasoning),
    ...(searches > 0 && { units: searchUnits(searches) }),
  };
}

/** A later figure of a stream replaces the earlier one; null and absent figures change nothing. */
export function laterUsage(earlier: Record<string, unknown>, later: unknown): Record<string, unknown> {
  const said = Object.entries(membersOf(later)).filter(([, value]) => value !== null);
  return { ...earlier, ...Object.fromEntries(said) };
}
