import { threadCpuMs } from '@gateway/quota';

type CountTokens = (text: string, options: { disallowedSpecial: Set<string> }) => number;

/** Text is counted in pieces, so that counting can stop in time; a piece ends between two words. */
const PIECE_CHARS = 8_192;
/**
 * The tokenizer's merges are quadratic in the length of a word, so a longer run of one class (letters, white space, or
 * anything else) is cut.
 */
const MAX_RUN_CHARS = 1_024;
const RUNS = /[\p{L}\p{M}]+|\s+|[^\s\p{L}\p{M}\p{N}]+/gu;
const LETTER = /[A-Za-z]/;
/** Special tokens in a text count as plain text. */
const PLAIN = { disallowedSpecial: new Set<string>() };
export const DEFAULT_BUDGET_MS = 50;

let count: CountTokens | undefined;

/** Loading takes about 0.2 s and 80 MB, so it waits for the first use. */
export function loadTokenizer(): CountTokens {
  count ??= (require('gpt-tokenizer/encoding/o200k_base') as { countTokens: CountTokens }).countTokens;
  return count;
}

/**
 * Counts tokens by the public `o200k_base` encoding, for calls without figures from their provider. A megabyte of prose fits
 * into the time limit. The rest of a larger text, or of one made to be slow, is estimated from the part that was counted, so
 * that its sender can't block other calls.
 */
export class TokenCounter {
  readonly #deadlineMs: number;
  readonly #count = loadTokenizer();
  #tokens = 0;
  #textTokens = 0;
  #textChars = 0;
  #estimatedTokens = 0;
  #exact = true;

  constructor(budgetMs = DEFAULT_BUDGET_MS) {
    this.#deadlineMs = threadCpuMs() + budgetMs;
  }

  get tokens(): number {
    return this.#tokens + this.#textTokens;
  }

  /** Counted tokens, without estimates. */
  get countedTokens(): number {
    return this.#tokens - this.#estimatedTokens + this.#textTokens;
  }

  /** False once a part was estimated. */
  get exact(): boolean {
    return this.#exact;
  }

  /** Scaled from the part that was counted: scripts differ by a factor of eight. */
  get #tokensPerChar(): number {
    return this.#textChars === 0 ? 1 : this.#textTokens / this.#textChars;
  }

  addTokens(tokens: number): void {
    this.#tokens += tokens;
  }

  addText(text: string): void {
    for (let at = 0; at < text.length; ) {
      if (threadCpuMs() > this.#deadlineMs) {
        this.#exact = false;
        const estimated = Math.ceil((text.length - at) * this.#tokensPerChar);
        this.#tokens += estimated;
        this.#estimatedTokens += estimated;
        return;
      }
      const end = pieceEnd(text, at);
      for (const part of withoutLongRuns(text.slice(at, end))) this.#textTokens += this.#count(part, PLAIN);
      this.#textChars += end - at;
      at = end;
    }
  }
}

/** The encoding always splits before a space between two words, so the counts of pieces add up. */
function pieceEnd(text: string, start: number): number {
  const limit = start + PIECE_CHARS;
  if (limit >= text.length) return text.length;
  for (let at = limit; at > limit - PIECE_CHARS / 2; at--) {
    if (text[at] === ' ' && LETTER.test(text[at - 1] ?? '') && LETTER.test(text[at + 1] ?? '')) return at;
  }
  return isLowSurrogate(text.charCodeAt(limit)) ? limit + 1 : limit;
}

/** Returns the parts of a text, without runs of one class that are longer. */
export function withoutLongRuns(text: string, maxRunChars = MAX_RUN_CHARS): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const { index, 0: run } of text.matchAll(RUNS)) {
    for (let cut = index + maxRunChars; cut < index + run.length; cut += maxRunChars) {
      const end = isLowSurrogate(text.charCodeAt(cut)) ? cut + 1 : cut;
      parts.push(text.slice(start, end));
      start = end;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
