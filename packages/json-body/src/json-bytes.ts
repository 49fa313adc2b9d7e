export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
/** Most strings, such as keys, are shorter than this; for them checking each byte is faster than a search. */
const NEAR_BYTES = 32;

/** Returns the index after the closing quote of the string that opens at `start`. */
export function stringEnd(json: Buffer, start: number): number {
  let at = start + 1;
  for (const near = Math.min(at + NEAR_BYTES, json.length); at < near; at++) {
    const byte = json[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  for (at = json.indexOf(QUOTE, at); at !== -1; at = json.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
  return json.length;
}

/** Returns the index of the first byte from `at` on that is not white space. */
export function skipSpace(json: Buffer, at: number): number {
  let next = at;
  while (isSpace(json[next])) next++;
  return next;
}

/** Returns the index after the last byte before `end` that is not white space. */
export function trimSpace(json: Buffer, end: number): number {
  let last = end;
  while (isSpace(json[last - 1])) last--;
  return last;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
