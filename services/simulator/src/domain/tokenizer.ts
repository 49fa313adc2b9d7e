import { WeightedLru } from './lru';

export interface Tokenizer {
  count(text: string): number;
  /** Splits between tokens, never inside a character; the joined pieces equal the text. */
  split(text: string): string[];
}

type Encoding = typeof import('gpt-tokenizer/encoding/o200k_base');

const MAX_RUN_CHARS = 1024;
const CACHED_CHARS = 4 * 1024 * 1024;
const MERGE_CACHE_ENTRIES = 10_000;

// Special tokens in a text count as plain text.
const PLAIN = { disallowedSpecial: new Set<string>() };

/**
 * The o200k_base encoding. Its merge step is quadratic in the length of a word (100,000 letters without a space take
 * seconds), so a run of more than 1,024 characters of one class (letters, white space, others) is split every 1,024
 * characters and the parts are counted separately.
 */
export class O200kTokenizer implements Tokenizer {
  #encoding: Encoding | undefined;
  readonly #counts = new WeightedLru<number>(CACHED_CHARS);

  count(text: string): number {
    if (text === '') return 0;
    const cached = this.#counts.get(text);
    if (cached !== undefined) return cached;
    const encoding = this.#load();
    let tokens = 0;
    for (const part of cutLongRuns(text)) tokens += encoding.countTokens(part, PLAIN);
    this.#counts.add(text, tokens, text.length + 64);
    return tokens;
  }

  split(text: string): string[] {
    const encoding = this.#load();
    const pieces: string[] = [];
    for (const part of cutLongRuns(text)) {
      for (const piece of encoding.decodeGenerator(encoding.encode(part, PLAIN))) {
        if (piece !== '') pieces.push(piece);
      }
    }
    return pieces;
  }

  // Loaded on first use: the tables take about 80 MB, which an idle simulator does not need.
  #load(): Encoding {
    if (this.#encoding === undefined) {
      this.#encoding = require('gpt-tokenizer/encoding/o200k_base') as Encoding;
      this.#encoding.setMergeCacheSize(MERGE_CACHE_ENTRIES);
    }
    return this.#encoding;
  }
}

const RUN = /[\p{L}\p{M}]+|\s+|[^\s\p{L}\p{M}\p{N}]+/gu;

export function cutLongRuns(text: string): string[] {
  if (!mayHaveLongRun(text)) return [text];
  const parts: string[] = [];
  let start = 0;
  for (const match of text.matchAll(RUN)) {
    const end = match.index + match[0].length;
    for (let cut = match.index + MAX_RUN_CHARS; cut < end; cut += MAX_RUN_CHARS) {
      const at = isLowSurrogate(text.charCodeAt(cut)) ? cut + 1 : cut;
      parts.push(text.slice(start, at));
      start = at;
    }
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts;
}

// Skips the classification for ordinary prose; it costs as much as the encoding itself.
function mayHaveLongRun(text: string): boolean {
  let runStart = 0;
  let inSpace = false;
  for (let i = 0; i < text.length; i++) {
    const isSpace = text.charCodeAt(i) <= 32;
    if (isSpace === inSpace) continue;
    if (i - runStart > MAX_RUN_CHARS) return true;
    runStart = i;
    inSpace = isSpace;
  }
  return text.length - runStart > MAX_RUN_CHARS;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
