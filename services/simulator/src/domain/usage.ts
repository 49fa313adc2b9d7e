import type { Directive } from './directive';
import type { Reply } from './reply';
import type { Tokenizer } from './tokenizer';

/** Tokens as OpenAI counts them: the prompt includes cache reads and writes, the completion includes reasoning. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  /** Those of the prompt and of the completion that are audio. */
  readonly audioPromptTokens: number;
  readonly audioCompletionTokens: number;
}

export const NO_USAGE: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  audioPromptTokens: 0,
  audioCompletionTokens: 0,
};

/** The pieces of `n` equal choices are sent alternately: piece 0 of every choice, then piece 1 of every choice. */
export interface Delivery {
  readonly reply: Reply;
  readonly n: number;
  /** Number of pieces sent, of `reply.pieces.length * n`. */
  readonly sent: number;
}

/** Returns what the provider charges after `delivery.sent` pieces were sent. */
export function usageOf(
  delivery: Delivery,
  promptTokens: number,
  directive: Directive,
  tokenizer: Tokenizer,
): Usage {
  const { reply, n, sent } = delivery;
  const total = reply.pieces.length * n;
  const full = Math.floor(sent / n);
  const ahead = sent % n;
  const counted = tokensOfPrefix(reply, full, tokenizer);
  const countedAhead = ahead === 0 ? counted : tokensOfPrefix(reply, full + 1, tokenizer);
  const given = directive.usage ?? {};
  const share = (tokens: number) => (sent === total ? tokens : Math.floor((tokens * sent) / total));
  return {
    ...NO_USAGE,
    promptTokens: given.prompt_tokens ?? promptTokens,
    cachedTokens: given.cached_tokens ?? 0,
    cacheWriteTokens: given.cache_write_tokens ?? 0,
    completionTokens:
      given.completion_tokens === undefined
        ? counted.all * (n - ahead) + countedAhead.all * ahead
        : share(given.completion_tokens),
    reasoningTokens:
      given.reasoning_tokens === undefined
        ? counted.thinking * (n - ahead) + countedAhead.thinking * ahead
        : share(given.reasoning_tokens),
  };
}

/**
 * Returns a function of the usage that a stream has reported after so many pieces, for streams that report it in every
 * chunk: thinking and other tokens in proportion to their pieces, rounded down. Cheap, and exact at the end.
 */
export function progressiveUsage(whole: Usage, reply: Reply, n: number): (sent: number) => Usage {
  const thoughts = reply.pieces.filter(({ kind }) => kind === 'thinking').length * n;
  const others = reply.pieces.length * n - thoughts;
  const rest = whole.completionTokens - whole.reasoningTokens;
  const share = (tokens: number, sent: number, of: number) =>
    sent >= of ? tokens : Math.floor((tokens * sent) / of);
  return (sent) => {
    if (sent === 0) return { ...whole, completionTokens: 0, reasoningTokens: 0 };
    const reasoningTokens = share(whole.reasoningTokens, sent, thoughts);
    const completionTokens = reasoningTokens + share(rest, Math.max(0, sent - thoughts), others);
    return { ...whole, completionTokens, reasoningTokens };
  };
}

// Each kind is counted over its whole text: the sum over pieces can differ where tokens would have merged.
function tokensOfPrefix(reply: Reply, length: number, tokenizer: Tokenizer) {
  if (length === reply.pieces.length) return tokensOf(reply, tokenizer);
  const tokens = { thinking: 0, all: 0 };
  let run = '';
  for (let i = 0; i < length; i++) {
    const piece = reply.pieces[i]!;
    const next = i + 1 < length ? reply.pieces[i + 1] : undefined;
    run += piece.text;
    if (next?.kind === piece.kind && next.call === piece.call) continue;
    const counted = tokenizer.count(run);
    run = '';
    tokens.all += counted;
    if (piece.kind === 'thinking') tokens.thinking += counted;
  }
  return tokens;
}

function tokensOf(reply: Reply, tokenizer: Tokenizer) {
  const thinking = tokenizer.count(reply.thinking ?? '');
  let all = thinking + tokenizer.count(reply.text ?? '');
  for (const call of reply.toolCalls) all += tokenizer.count(call.name) + tokenizer.count(call.arguments);
  return { thinking, all };
}
