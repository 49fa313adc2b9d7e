import { GatewayError } from '@gateway/errors';
import { COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, stringEnd } from './json-bytes';

export interface ValueBounds {
  /** Members and entries at any depth. */
  readonly maxValues: number;
  /** Distinct keys of all objects: parsing a new key costs V8 as much as a hundred numbers. */
  readonly maxKeys?: number;
}

/**
 * Refuses JSON with too many values before it is parsed: parsing 30 MB of `{},{},{}` blocks the process for five seconds. The
 * bytes need not be valid JSON.
 * @param what name of the texts in the error
 * @throws GatewayError `invalid_request` if the texts together exceed the bounds
 */
export function refuseExcess(
  texts: readonly Buffer[],
  { maxValues, maxKeys = maxValues }: ValueBounds,
  what: string,
): void {
  const bytes = texts.reduce((sum, { length }) => sum + length, 0);
  // A value takes at least one byte, a key at least four: `"a":`.
  if (bytes <= Math.min(maxValues, 4 * maxKeys)) return;
  let values = 0;
  let members = 0;
  for (const json of texts) {
    for (let at = 0; at < json.length; at++) {
      const byte = json[at];
      if (byte === QUOTE) at = stringEnd(json, at) - 1;
      else if (byte === COLON) members++;
      else if (byte === COMMA || byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (++values > maxValues) throw excess(`too many values in ${what}`);
      }
    }
  }
  if (members > maxKeys && hasMoreKeys(texts, maxKeys)) throw excess(`too many different keys in ${what}`);
}

/** Called only if there are more members than `maxKeys`: comparing keys takes longer than counting members. */
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
