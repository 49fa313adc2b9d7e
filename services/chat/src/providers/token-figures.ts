import type { PartCounting, TokenUsage, UsageMode } from '../domain/usage';

/** Figures of a reply whose prompt includes cache reads and writes, unless the mode says otherwise. Undefined: not reported, or implausible. */
export interface TokenFigures {
  readonly prompt: number | undefined;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly completion: number | undefined;
  readonly reasoning: number;
  readonly total: number | undefined;
}

interface Prompt {
  readonly tokens: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/**
 * Returns tokens by price; undefined if neither the prompt nor the completion is known. One of them that is missing follows from
 * the total, else it is 0. What the total has beyond both is thinking: Google's compatible endpoint reports it nowhere else.
 */
export function tokensOf(figures: TokenFigures, mode: UsageMode): TokenUsage | undefined {
  const { completion, reasoning, total } = figures;
  if (figures.prompt === undefined && completion === undefined) return undefined;
  const reported = completion !== undefined && isSeparate(mode.reasoning, reasoning, completion);
  const output = reported ? completion + reasoning : completion;
  const prompt = promptOf(figures, mode.cached, output);
  const rest = total === undefined ? 0 : Math.max(0, total - prompt.tokens);
  const unlisted = output === undefined ? 0 : Math.max(0, rest - output);
  const { cacheRead, cacheWrite } = prompt;
  return {
    input: prompt.tokens - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: output === undefined ? rest : output + unlisted,
    reasoning: reasoning + unlisted,
  };
}

/** The total shows whether the prompt leaves out what it should include. */
function promptOf(figures: TokenFigures, counting: PartCounting, output: number | undefined): Prompt {
  const { prompt, cacheRead, cacheWrite, total } = figures;
  if (prompt === undefined) {
    const tokens = total === undefined || output === undefined ? 0 : Math.max(0, total - output);
    return within(tokens, cacheRead, cacheWrite);
  }
  const detects = counting === 'detect';
  const besides = total === undefined || output === undefined ? 0 : total - prompt - output;
  if (detects && besides > 0 && [cacheRead, cacheWrite, cacheRead + cacheWrite].includes(besides))
    return within(prompt + besides, cacheRead, cacheWrite);
  const reads = isSeparate(counting, cacheRead, prompt) ? cacheRead : 0;
  const writes = detects && cacheWrite > prompt ? cacheWrite : 0;
  return within(prompt + reads + writes, cacheRead, cacheWrite);
}

/**
 * Divides a prompt. Reads and writes that exceed it together are the same tokens in part: some gateways count what they wrote as
 * read too (maximhq/bifrost#908), and what was read is not written again.
 */
function within(tokens: number, reads: number, writes: number): Prompt {
  const read = Math.min(tokens, reads);
  const written = Math.min(tokens, writes);
  if (read + written <= tokens) return { tokens, cacheRead: read, cacheWrite: written };
  return written > read
    ? { tokens, cacheRead: read, cacheWrite: written - read }
    : { tokens, cacheRead: read - written, cacheWrite: written };
}

const isSeparate = (counting: PartCounting, part: number, whole: number): boolean =>
  counting === 'separate' || (counting === 'detect' && part > whole);
