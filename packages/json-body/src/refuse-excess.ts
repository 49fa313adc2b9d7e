import { GatewayError } from '@gateway/errors';
import { COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, stringEnd } from './json-bytes';

export interface ValueBounds {
  /** Members and entries, however deep. */
  readonly maxValues: number;
  /** Different keys of all objects: to parse one that it has not met costs V8 as much as a hundred numbers. */
  readonly maxKeys?: number;
}

/**
 * Looks at bytes before they are parsed, whether they are JSON or not: thirty megabytes of `{},{},{}` take five
 * seconds to parse, in which all other calls stand still.
 * @param what the texts are together, as the caller is told
 * @throws GatewayError `invalid_request` for more in all of them than the bounds allow
 */
export function refuseExcess(
  texts: readonly Buffer[],
  { maxValues, maxKeys = maxValues }: ValueBounds,
  what: string,
): void {
  const bytes = texts.reduce((sum, { length }) => sum + length, 0);
  // A value takes a byte at least, a key of its own four: `"a":`.
  if (bytes <= Math.min(maxValues, 4 * maxKeys)) return;
  let values = 0;
  let members = 0;
  for (const json of texts) {
    for (let at = 0; at < json.length; at++) {
      const byte = json[at];
      if (byte === QUOTE) at = stringEnd(json, at) - 1;
      else if (byte === COLON) members++;
      else if (byte === COMMA || byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (++values > maxValues) throw excess(`${what} has too many values`);
      }
    }
  }
  if (members > maxKeys && hasMoreKeys(texts, maxKeys)) throw excess(`${what} has too many different keys`);
}

/** Asked only where there are as many members: to tell keys apart takes longer than to count them. */
function hasMoreKeys(texts: readonly Buffer[], maxKeys: number): boolean {
  const keys = new Set<string>();
  for (const json of texts) {
    let start = 0;
    let end = 0;
    for (let at = 0; at < json.length; at++) {
      const byte = json[at];
      if (byte === QUOTE) {
        start = at;
        end = stringEnd(json, at);
        at = end - 1;
      } else if (byte === COLON) {
        keys.add(json.toString('latin1', start, end));
        if (keys.size > maxKeys) return true;
      }
    }
  }
  return false;
}

function excess(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
