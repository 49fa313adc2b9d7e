import type { Directive } from './directive';
import type { PieceKind, Reply } from './reply';
import type { Tokenizer } from './tokenizer';

/** Token counts in OpenAI's sense: prompt includes cached, completion includes reasoning. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
}

export const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 };

/** The pieces of `n` equal choices are sent in turn: piece 0 of every choice, then piece 1 of every choice. */
export interface Delivery {
  readonly reply: Reply;
  readonly n: number;
  /** Of `reply.pieces.length * n`. */
  readonly sent: number;
}

/** What the provider charges when `delivery.sent` pieces have left it. */
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
    promptTokens: given.prompt_tokens ?? promptTokens,
    cachedTokens: given.cached_tokens ?? 0,
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

// Each kind is counted over its whole text: the sum over single pieces can differ where tokens would have merged.
function tokensOfPrefix(reply: Reply, length: number, tokenizer: Tokenizer) {
  const texts: Record<PieceKind, string> = { thinking: '', text: '', tool_name: '', tool_arguments: '' };
  if (length === reply.pieces.length) {
    texts.thinking = reply.thinking ?? '';
    texts.text = reply.text ?? '';
    texts.tool_name = reply.toolCall?.name ?? '';
    texts.tool_arguments = reply.toolCall?.arguments ?? '';
  } else {
    for (let i = 0; i < length; i++) {
      const piece = reply.pieces[i]!;
      texts[piece.kind] += piece.text;
    }
  }
  const thinking = tokenizer.count(texts.thinking);
  const rest = tokenizer.count(texts.text) + tokenizer.count(texts.tool_name);
  return { thinking, all: thinking + rest + tokenizer.count(texts.tool_arguments) };
}
