import { membersOf, tokenFigure } from '@gateway/upstream';
import { largerUsage, searchUnits, type TokenUsage } from '../../domain/usage';

/**
 * Reads the usage of a message; undefined if it has none, a figure that is missing is 0. The three input figures do not overlap, and `output_tokens` includes
 * thinking (SDK 1.10, `Usage`); `cache_creation` has the cache writes by their lifetime, which some gateways report without their sum.
 */
export function fromMessagesUsage(value: unknown): TokenUsage | undefined {
  const usage = membersOf(value);
  const input = tokenFigure(usage.input_tokens);
  const output = tokenFigure(usage.output_tokens);
  const read = tokenFigure(usage.cache_read_input_tokens);
  const created = tokenFigure(usage.cache_creation_input_tokens);
  if ((input ?? output ?? read ?? created) === undefined) return undefined;
  const byLifetime = membersOf(usage.cache_creation);
  const shortWritten = tokenFigure(byLifetime.ephemeral_5m_input_tokens) ?? 0;
  const longWritten = tokenFigure(byLifetime.ephemeral_1h_input_tokens) ?? 0;
  const written = Math.max(created ?? 0, shortWritten + longWritten);
  const reasoning = tokenFigure(membersOf(usage.output_tokens_details).thinking_tokens) ?? 0;
  const searches = tokenFigure(membersOf(usage.server_tool_use).web_search_requests) ?? 0;
  return {
    input: input ?? 0,
    cache_read: read ?? 0,
    cache_write: written - longWritten,
    ...(longWritten > 0 && { cache_write_1h: longWritten }),
    output: output ?? 0,
    reasoning: Math.min(output ?? 0, reasoning),
    ...(searches > 0 && { units: searchUnits(searches) }),
  };
}

/** Joins the figures of a stream's events, which may repeat them, add to them, or have them as 0 or null. */
export class MessageFigures {
  #figures: Record<string, unknown> = {};
  #usage: TokenUsage | undefined;

  get usage(): TokenUsage | undefined {
    return this.#usage;
  }

  /** Adds the figures of an event: a later one replaces an earlier one, as far as no tokens get lost. */
  add(usage: unknown): void {
    const reported = Object.entries(membersOf(usage)).filter(([, value]) => value !== null);
    this.#figures = { ...this.#figures, ...Object.fromEntries(reported) };
    const later = fromMessagesUsage(this.#figures);
    if (later) this.#usage = largerUsage(this.#usage, later);
  }
}
