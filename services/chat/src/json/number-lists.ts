import { CLOSE_BRACKET, OPEN_BRACKET, QUOTE, skipSpace, stringEnd } from '@gateway/json-body';
import { isObject, type JsonObject } from '@gateway/upstream';

/** A parsed JSON object in which each list of numbers has been replaced by a list with its index in `lists`. */
export interface WithoutNumbers {
  readonly value: JsonObject;
  /** The bytes of each list, with its brackets; not parsed. */
  readonly lists: readonly Buffer[];
}

/**
 * Parses a JSON object without its lists of numbers: parsing millions of numbers blocks the process for half a second, finding
 * them takes milliseconds.
 * @throws Error unless the rest is a JSON object
 */
export function parseWithoutNumbers(bytes: Buffer): WithoutNumbers {
  const lists: Buffer[] = [];
  let rest = '';
  let copied = 0;
  let open = bytes.indexOf(OPEN_BRACKET);
  let quote = bytes.indexOf(QUOTE);
  while (open !== -1) {
    if (quote !== -1 && quote < open) {
      const end = stringEnd(bytes, quote);
      quote = bytes.indexOf(QUOTE, end);
      if (open < end) open = bytes.indexOf(OPEN_BRACKET, end);
      continue;
    }
    const close = startsNumber(bytes[skipSpace(bytes, open + 1)]) ? bytes.indexOf(CLOSE_BRACKET, open) : -1;
    if (close === -1) {
      open = bytes.indexOf(OPEN_BRACKET, open + 1);
      continue;
    }
    rest += `${bytes.toString('utf8', copied, open)}[${lists.length}]`;
    copied = close + 1;
    lists.push(bytes.subarray(open, copied));
    open = bytes.indexOf(OPEN_BRACKET, copied);
    if (quote !== -1 && quote < copied) quote = bytes.indexOf(QUOTE, copied);
  }
  return { value: parseObject(rest + bytes.toString('utf8', copied)), lists };
}

const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

const startsNumber = (byte: number | undefined): boolean =>
  byte !== undefined && (byte === MINUS || (byte >= ZERO && byte <= NINE));

/** The parser's own error would quote the text. */
function parseObject(json: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    value = undefined;
  }
  if (!isObject(value)) throw new Error('reply is not a JSON object');
  return value;
}
