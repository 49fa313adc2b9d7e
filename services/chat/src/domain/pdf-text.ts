import type { CpuDeadline } from './cpu-deadline';

const OPEN = 0x28;
const CLOSE = 0x29;
const BACKSLASH = 0x5c;
const LESS = 0x3c;
const GREATER = 0x3e;
const CAPITAL_D = 0x44;
const SMALL_O = 0x6f;

interface NormalObject {
  /** Without comments, with single spaces, and with `()` for each string. */
  readonly text: string;
  /** Bytes of its strings. */
  readonly stringBytes: number;
  /** Index of the `endobj`, `stream` or `startxref` that ends it. */
  readonly end: number;
}

const TOKEN = /%[^\r\n]*|\(|<<|>>|<[0-9a-fA-F\s\0]*>|[\s\0]+|\b(?:endobj|stream|startxref)\b|[^\s\0%()<>]+/gy;
const END = /^(?:endobj|stream|startxref)$/;

/**
 * Reads an object of a PDF up to the keyword that ends it.
 * @param toEnd reads all of the text instead: objects inside a stream have no such keyword
 * @throws Error when there is no such keyword, or the CPU budget is spent
 */
export function normalizeObject(
  text: string,
  start: number,
  budget: CpuDeadline,
  toEnd = false,
): NormalObject {
  const pieces: string[] = [];
  let stringBytes = 0;
  TOKEN.lastIndex = start;
  for (let at = start; ; at = TOKEN.lastIndex) {
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) {
      if (toEnd && at === text.length) return { text: pieces.join(''), stringBytes, end: at };
      throw new Error('object without an end');
    }
    if (!toEnd && END.test(token)) return { text: pieces.join(''), stringBytes, end: at };
    if (token === '(') TOKEN.lastIndex = literalEnd(text, at);
    budget.spend(16 + TOKEN.lastIndex - at);
    if (token === '(' || (token.startsWith('<') && token !== '<<')) {
      stringBytes += TOKEN.lastIndex - at;
      pieces.push('()');
    } else if (!token.startsWith('%') && !/^[\s\0]/.test(token)) pieces.push(token);
    else if (pieces.at(-1) !== ' ') pieces.push(' ');
  }
}

/** Returns the index after a string, which may contain balanced parentheses. */
function literalEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === BACKSLASH) at++;
    else if (char === OPEN) depth++;
    else if (char === CLOSE && --depth === 0) return at + 1;
  }
  throw new Error('string without an end');
}

export interface ContentStrings {
  /** Bytes of all strings, plus one for each, because a space may be added between two. */
  readonly bytes: number;
  /** Number of `Do` operators: each may show a form. */
  readonly invocations: number;
}

/** Measures the strings of a content stream. Data of inline images may count as strings, never the other way round. */
export function stringBytesOf(content: Buffer): ContentStrings {
  let bytes = 0;
  let invocations = 0;
  let depth = 0;
  for (let at = 0; at < content.length; at++) {
    const char = content[at];
    if (depth > 0) {
      bytes++;
      if (char === BACKSLASH) at++;
      else if (char === OPEN) depth++;
      else if (char === CLOSE) depth--;
    } else if (char === OPEN) {
      depth = 1;
      bytes++;
    } else if (char === LESS && content[at + 1] !== LESS) {
      const end = content.indexOf(GREATER, at);
      const past = end === -1 ? content.length : end;
      bytes += Math.ceil((past - at) / 2) + 1;
      at = past;
    } else if (char === LESS) at++;
    else if (char === CAPITAL_D && content[at + 1] === SMALL_O) invocations++;
  }
  return { bytes, invocations };
}
