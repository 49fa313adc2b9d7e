/**
 * JSON whose long integers come out as they went in: the ids of databases have up to twenty digits, a number of
 * JavaScript keeps sixteen. What they are read as can be written, and is nothing to calculate with: it is for arguments
 * of tools. V8 tells the source of a value too, but takes ten times as long for all of them.
 */
export function parseExact(json: string): unknown {
  if (!MAY_BE_LONG.test(json) || MARKED.test(json)) return JSON.parse(json);
  return unmarked(JSON.parse(marked(json)));
}

/** The same of an object; undefined for all else, JSON or not. */
export function parseExactObject(json: string): Record<string, unknown> | undefined {
  try {
    const value = parseExact(json);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** JSON text of the arguments of a whole call, which are an object also where there is nothing to say. */
export function objectJson(value: unknown): string {
  return JSON.stringify(isPlainObject(value) ? value : {});
}

/** An object, and no number that is kept by its digits. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);
}

/** Also what a text says, which then takes the slow way for nothing. */
const MAY_BE_LONG = /[:,[]\s*-?\d{16}/;
/** Bounded, for a run of millions of digits is more than the expression's stack holds. */
const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16,1000}(?=\s*[,}\]])/g;
/** Of the characters that no text has a use for. */
const MARK = '\uE000';
const MARKED = /\uE000|\\ue000/i;

/** Newer than the types of the language that is compiled for. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(json: string): object;
  isRawJSON(value: unknown): boolean;
};

/** The same with a text in place of each integer that a number cannot hold. */
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

/** Past the closing quote. */
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
