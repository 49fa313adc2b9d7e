import type { PartCounting, ReasoningCounting, TokenUsage, UsageMode } from '../domain/usage';

/** Figures of a reply whose prompt includes cache reads and writes, unless the mode says otherwise. Undefined: not reported, or implausible. */
export interface TokenFigures {
  readonly prompt: number | undefined;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly completion: number | undefined;
  readonly reasoning: number;
  readonly total: number | undefined;
}

interface Prompt {
  readonly tokens: number;
  readonly cache_read: number;
  readonly cache_write: number;
}

/**
 * Returns tokens by price; undefined if neither the prompt nor the completion is known. One of them that is missing follows from
 * the total, else it is 0. What the total has beyond both is output, and thinking if none is reported: Google's compatible endpoint
 * reports it nowhere else.
 */
export function tokensOf(figures: TokenFigures, mode: UsageMode): TokenUsage | undefined {
  const { completion, reasoning, total } = figures;
  if (figures.prompt === undefined && completion === undefined) return undefined;
  const isAdded = completion !== undefined && isSeparate(figures, completion, mode.reasoning);
  const listed = isAdded ? completion + reasoning : completion;
  const mayBeBeside = isAdded || mode.reasoning === 'included' ? 0 : reasoning;
  const prompt = promptOf(figures, mode.cached, listed, mayBeBeside);
  const rest = total === undefined ? 0 : Math.max(0, total - prompt.tokens);
  const output = Math.max(listed ?? 0, rest);
  const unlisted = listed === undefined ? 0 : output - listed;
  const { cache_read, cache_write } = prompt;
  return {
    input: prompt.tokens - cache_read - cache_write,
    cache_read,
    cache_write,
    output,
    reasoning: Math.min(output, reasoning || unlisted),
  };
}

/**
 * The total shows whether the prompt leaves out what it should include.
 * @param output undefined if it is not known
 * @param reasoning that the output may leave out too
 */
function promptOf(
  figures: TokenFigures,
  counting: PartCounting,
  output: number | undefined,
  reasoning: number,
): Prompt {
  const { prompt, cache_read, cache_write, total } = figures;
  const besides = total === undefined || output === undefined ? 0 : total - (prompt ?? 0) - output;
  const isLarger = output !== undefined && reasoning > output;
  if (prompt === undefined) {
    const tokens = isLarger && besides >= reasoning ? besides - reasoning : besides;
    return within(Math.max(0, tokens), cache_read, cache_write);
  }
  if (counting !== 'detect')
    return within(prompt + (counting === 'separate' ? cache_read : 0), cache_read, cache_write);
  const both = cache_read + cache_write;
  const rests = isLarger ? [besides - reasoning, besides] : [besides, besides - reasoning];
  const left = rests.find((tokens) => [0, cache_read, cache_write, both].includes(tokens));
  if (left) return within(prompt + left, cache_read, cache_write);
  return within(Math.max(cache_read, cache_write) > prompt ? prompt + both : prompt, cache_read, cache_write);
}

/**
 * Divides a prompt. Reads and writes that exceed it together are the same tokens in part: some gateways count what they wrote as
 * read too (maximhq/bifrost#908), and what was read is not written again.
 */
function within(tokens: number, reads: number, writes: number): Prompt {
  const read = Math.min(tokens, reads);
  const written = Math.min(tokens, writes);
  if (read + written <= tokens) return { tokens, cache_read: read, cache_write: written };
  return written > read
    ? { tokens, cache_read: read, cache_write: written - read }
    : { tokens, cache_read: read - written, cache_write: written };
}

/** A total shows itself what is in addition to the completion; of 0, it is not reported. */
function isSeparate(
  { reasoning, total }: TokenFigures,
  completion: number,
  counting: ReasoningCounting,
): boolean {
  if (counting === 'separate') return true;
  return reasoning > completion && (counting === 'if_larger' || (counting === 'detect' && !total));
}
