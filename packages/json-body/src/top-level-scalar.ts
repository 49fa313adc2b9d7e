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
 * Finds a string or other scalar among the top-level members of the first JSON object in `bytes`, without parsing
 * it: reads no further than that member. Returns undefined when the object has no such member, or an object or array
 * there. Bytes that are not JSON are safe to pass; what is found in them means nothing.
 * @param key the member's name as it stands in JSON, with its quotes
 */
export function topLevelScalar(bytes: Buffer, key: Buffer): ValueSpan | undefined {
  let depth = 0;
  for (let at = bytes.indexOf(OPEN_BRACE); at !== -1 && at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = stringEnd(bytes, at);
      const colon = depth === 1 ? skipSpace(bytes, end) : end;
      // No string but a member's name has a colon behind it.
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

/** Undefined also when the bytes end before the object does: the value may be cut. */
function scalarAt(bytes: Buffer, start: number): ValueSpan | undefined {
  const first = bytes[start];
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return undefined;
  let end = start;
  if (first === QUOTE) end = stringEnd(bytes, start);
  else while (end < bytes.length && bytes[end] !== COMMA && bytes[end] !== CLOSE_BRACE) end++;
  return end < bytes.length ? { start, end: trimSpace(bytes, end) } : undefined;
}
