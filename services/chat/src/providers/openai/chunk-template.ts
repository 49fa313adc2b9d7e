const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** A text that is not empty. A quote inside a JSON string is escaped, so these are always members. */
const TEXT = /"(?:content|reasoning_content|reasoning|refusal|arguments|text)": ?"(?!")/;
/** OpenAI's member of random length, so that the size of a chunk does not tell that of its text. */
const PADDING = '"obfuscation":"';
/** Chunks in a row that differ in more than their text, after which a stream's chunks are no longer compared. */
const MAX_MISSES = 8;

/** The bytes of a chunk around its text. Nearly all chunks of a stream differ only in it, which a comparison of bytes shows. */
export class ChunkTemplate {
  #head: Buffer | undefined;
  #tail = Buffer.alloc(0);
  /** What follows the padding; undefined: there is none. */
  #rest: Buffer | undefined;
  /** Offset of the usage from the end of the text; -1: there is none. */
  #usageOffset = -1;
  #textEnd = 0;
  #misses = 0;

  /** Returns the index of the null usage in the chunk that has matched; -1 if it has none. */
  get nullUsage(): number {
    return this.#usageOffset === -1 ? -1 : this.#textEnd + this.#usageOffset;
  }

  /** Whether a chunk differs only in its text from the one that was learned. */
  matches(chunk: Buffer): boolean {
    const head = this.#head;
    if (!head || chunk.length < head.length || head.compare(chunk, 0, head.length) !== 0) return false;
    const end = endOfString(chunk, head.length);
    const tailEnd = end + this.#tail.length;
    if (end === -1 || tailEnd > chunk.length || this.#tail.compare(chunk, end, tailEnd) !== 0) return false;
    if (this.#rest ? !endsWith(chunk, tailEnd, this.#rest) : tailEnd < chunk.length) return false;
    this.#textEnd = end;
    this.#misses = 0;
    return true;
  }

  /** @param nullUsage index of its usage, which is null; -1: it has none */
  learn(chunk: Buffer, nullUsage: number): void {
    if (++this.#misses > MAX_MISSES) return;
    const text = chunk.toString('latin1');
    const begun = TEXT.exec(text);
    if (!begun) return;
    const start = begun.index + begun[0].length;
    const end = endOfString(chunk, start);
    if (end === -1) return;
    const padding = text.indexOf(PADDING, end);
    const tailEnd = padding === -1 ? chunk.length : padding + PADDING.length;
    if (nullUsage !== -1 && (nullUsage < end || nullUsage > tailEnd)) return;
    this.#usageOffset = nullUsage === -1 ? -1 : nullUsage - end;
    // Copies, because views would keep the whole chunk in memory, and it may be changed in place.
    this.#head = Buffer.from(chunk.subarray(0, start));
    this.#tail = Buffer.from(chunk.subarray(end, tailEnd));
    this.#rest = padding === -1 ? undefined : Buffer.from(chunk.subarray(endOfString(chunk, tailEnd)));
  }

  forget(): void {
    this.#head = undefined;
  }
}

/** Whether the string that contains `at` ends with the bytes `rest`, which are the last. */
function endsWith(chunk: Buffer, at: number, rest: Buffer): boolean {
  const end = endOfString(chunk, at);
  return chunk.length - end === rest.length && rest.compare(chunk, end) === 0;
}

/** Returns the index of the quote that ends the string which contains `at`; -1 if it has none. */
function endOfString(bytes: Buffer, at: number): number {
  for (let quote = bytes.indexOf(QUOTE, at); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let first = quote;
    while (first > at && bytes[first - 1] === BACKSLASH) first--;
    if ((quote - first) % 2 === 0) return quote;
  }
  return -1;
}
