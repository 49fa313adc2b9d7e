import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  stringEnd,
  trimSpace,
} from './json-bytes';

/** The bytes of a JSON value, from `start` up to `end`. */
export interface ValueSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds a string or other scalar among the top-level members of the first JSON object in `bytes` without parsing it, and reads
 * no further than that member. Returns undefined if the object has no such member, or an object or array there. Safe for bytes
 * that are not JSON, but then the result is meaningless.
 * @param key the member's name in JSON, including its quotes
 */
export function topLevelScalar(bytes: Buffer, key: Buffer): ValueSpan | undefined {
  let depth = 0;
  for (let at = bytes.indexOf(OPEN_BRACE); at !== -1 && at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = stringEnd(bytes, at);
      const colon = depth === 1 ? skipSpace(bytes, end) : end;
      // Only a member's name is followed by a colon.
      const isKey = depth === 1 && bytes[colon] === COLON && key.compare(bytes, at, end) === 0;
      if (isKey) return scalarAt(bytes, skipSpace(bytes, colon + 1));
      at = end - 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth++;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (--depth === 0) return undefined;
    }
  }
  return undefined;
}

/** Returns undefined also if the bytes end before the object does: the value may be truncated. */
function scalarAt(bytes: Buffer, start: number): ValueSpan | undefined {
  const first = bytes[start];
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return undefined;
  let end = start;
  if (first === QUOTE) end = stringEnd(bytes, start);
  else while (end < bytes.length && bytes[end] !== COMMA && bytes[end] !== CLOSE_BRACE) end++;
  return end < bytes.length ? { start, end: trimSpace(bytes, end) } : undefined;
}
