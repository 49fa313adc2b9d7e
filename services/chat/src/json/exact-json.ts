import { decimalFromNano } from '@gateway/money';
import { withoutNull } from '../domain/argument-pieces';

/**
 * Parses JSON without changing long integers: database ids have up to twenty digits, a JavaScript number keeps sixteen.
 * The values can be serialized but not calculated with: they are for tool arguments. V8's source text access does the
 * same, but takes ten times as long for all values.
 */
export function parseExact(json: string): unknown {
  if (!MAY_BE_LONG.test(json) || MARKED.test(json)) return JSON.parse(json);
  return unmarked(JSON.parse(marked(json)));
}

/** The same for an object; undefined for anything else, JSON or not. */
export function parseExactObject(json: string): Record<string, unknown> | undefined {
  try {
    const value = parseExact(json);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the arguments of a complete tool call as the JSON text of an object, which is empty without arguments. Some servers send
 * the text itself; one that is no object is wrapped as Anthropic recommends (its page on fine-grained tool streaming).
 */
export function objectJson(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(isPlainObject(value) ? value : {});
  const text = withoutNull(value);
  if (text.trim() === '') return '{}';
  return parseExactObject(text) ? text : JSON.stringify({ INVALID_JSON: text });
}

/** Returns a JSON number of USD with all its digits, for `JSON.stringify`. */
export const exactUsd = (nano: bigint): object => rawJSON(decimalFromNano(nano));

/** Whether it is an object, and not a number that is kept by its digits. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);
}

/** Also matches digits within strings, which then take the slow path unnecessarily. */
const MAY_BE_LONG = /[:,[]\s*-?\d{16}/;
/** Bounded, because a run of millions of digits exceeds the stack of the regular expression. */
const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16,1000}(?=\s*[,}\]])/g;
/** Private-use characters that no text needs. */
const MARK = '\uE000';
const MARKED = /\uE000|\\ue000/i;

/** Newer than the type definitions of the compile target. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(json: string): object;
  isRawJSON(value: unknown): boolean;
};

/** Returns the value with a string in place of each integer that a number cannot represent. */
function marked(json: string): string {
  let written = '';
  for (let at = 0; at < json.length; ) {
    const quote = json.indexOf('"', at);
    const end = quote === -1 ? json.length : quote;
    written += json.slice(at, end).replace(LONG_INTEGER, markLong);
    at = quote === -1 ? end : stringEnd(json, quote);
    written += json.slice(end, at);
  }
  return written;
}

const markLong = (digits: string) => (Number.isSafeInteger(Number(digits)) ? digits : `"${MARK}${digits}"`);

/** Returns the index after the closing quote. */
function stringEnd(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
  return json.length;
}

function unmarked(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(MARK) ? rawJSON(value.slice(1)) : value;
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const key in members) {
    const member = members[key];
    const read = unmarked(member);
    if (read !== member) members[key] = read;
  }
  return value;
}
