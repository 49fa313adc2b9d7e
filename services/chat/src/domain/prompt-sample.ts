import { loadTokenizer, withoutLongRuns } from './token-count';

/** Pieces of the finest sample; a coarser one has a half, a quarter, … of them. */
const MOST_PIECES = 256;
const LEAST_PIECES = 16;
const PIECE_CHARS = 512;
/** Characters within which a piece is moved to a space, so that it begins and ends with whole words. */
const SPACE_CHARS = 32;
/** No token is longer. A longer run takes more time: merges are quadratic. */
const MAX_RUN_CHARS = 128;
const PLAIN = { disallowedSpecial: new Set<string>() };

/** Standard errors on either side of an estimate. */
const ERRORS = 4;
/** The least error of an estimate, relative and for a single piece: few pieces may be alike by chance. */
const LEAST_ERROR = 0.1;

/** Bounds of a prompt's tokens by the public `o200k_base` encoding. */
export interface TokenRange {
  readonly least: number;
  readonly tokens: number;
  readonly most: number;
  /** From how many pieces it is estimated. */
  readonly pieces: number;
}

/**
 * Estimates the tokens of a prompt from pieces that are spread over all of it, with the error of the estimate. The pieces depend on
 * the text only, so the estimate is the same on a busy machine.
 */
export class PromptSample {
  readonly #texts: string[] = [];
  /** Where each text begins among all characters. */
  readonly #starts: number[] = [];
  #chars = 0;
  #tokens = 0;

  /** Of all texts. */
  get chars(): number {
    return this.#chars;
  }

  addTokens(tokens: number): void {
    this.#tokens += tokens;
  }

  addText(text: string): void {
    if (text.length === 0) return;
    this.#texts.push(text);
    this.#starts.push(this.#chars);
    this.#chars += text.length;
  }

  /**
   * Yields better and better estimates, each from twice as many pieces as the one before: 16 pieces of 512 characters take about a
   * millisecond. A text of less than twice the characters of a sample has none.
   */
  *ranges(): Generator<TokenRange> {
    const rates = new Map<number, number>();
    for (let pieces = LEAST_PIECES; pieces <= MOST_PIECES; pieces *= 2) {
      if (pieces * PIECE_CHARS * 2 > this.#chars) return;
      const step = MOST_PIECES / pieces;
      for (let index = 0; index < MOST_PIECES; index += step)
        if (!rates.has(index)) rates.set(index, this.#rateOf(index));
      yield this.#rangeOf(Array.from({ length: pieces }, (_, place) => rates.get(place * step)!));
    }
  }

  /** @param rates tokens of a character, in the order of the text */
  #rangeOf(rates: readonly number[]): TokenRange {
    const pieces = rates.length;
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / pieces;
    let differences = 0;
    for (let place = 1; place < pieces; place++) differences += (rates[place]! - rates[place - 1]!) ** 2;
    // Neighbours differ less than pieces at random: most texts consist of long parts that are alike (von Neumann's estimator).
    const deviation = Math.sqrt(differences / (2 * (pieces - 1)));
    const error = (ERRORS * Math.max(deviation, LEAST_ERROR * mean)) / Math.sqrt(pieces);
    const tokensAt = (rate: number) => Math.round(this.#tokens + rate * this.#chars);
    return { least: tokensAt(mean - error), tokens: tokensAt(mean), most: tokensAt(mean + error), pieces };
  }

  /** Returns the tokens of a character of a piece. @param index of the part of the text that contains it */
  #rateOf(index: number): number {
    const part = this.#chars / MOST_PIECES;
    // Not always at the same place of its part, because texts such as tables may repeat at that distance.
    const from = Math.floor(index * part + fraction(index) * Math.max(0, part - PIECE_CHARS));
    let at = Math.min(from, this.#chars - PIECE_CHARS);
    let text = this.#textAt(at);
    let tokens = 0;
    let chars = 0;
    while (chars < PIECE_CHARS && text < this.#texts.length) {
      const whole = this.#texts[text]!;
      const start = wordStart(whole, at - this.#starts[text]!);
      const end = wordStart(whole, Math.min(whole.length, start + PIECE_CHARS - chars));
      for (const part of withoutLongRuns(whole.slice(start, end), MAX_RUN_CHARS))
        tokens += loadTokenizer()(part, PLAIN);
      chars += end - start;
      text++;
      at = this.#starts[text] ?? 0;
    }
    return tokens / Math.max(1, chars);
  }

  /** Returns the text that contains a character. */
  #textAt(char: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#starts[middle]! <= char) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Returns the position of the next space if it is near; else the same one, or the next within a pair of surrogates. */
function wordStart(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return at;
  const space = text.slice(at, at + SPACE_CHARS).indexOf(' ');
  if (space >= 0) return at + space;
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}

/** Returns a number from 0 to 1 without a pattern: Knuth's multiplicative hash. */
const fraction = (index: number): number => (Math.imul(index + 1, 2_654_435_761) >>> 0) / 2 ** 32;
