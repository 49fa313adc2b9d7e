import { isUtf8 } from 'node:buffer';
import { GatewayError } from '@gateway/proto';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
/**
 * Most objects, lists, strings and commas of a body: far more than any call here has fields. Thirty megabytes of `[],[],` take
 * seconds to parse, in which all other calls stand still.
 */
const MAX_PIECES = 4_096;

/**
 * @param maxBytes where the call has room for a few short fields only
 * @throws GatewayError `invalid_request` for what is not one JSON object in UTF-8, or is longer or has more in it than
 * any call needs, and for a repeated top-level key: what one reader sees of such a body another may not.
 */
export function parseJsonObject(bytes: Buffer, maxBytes = Number.POSITIVE_INFINITY): Record<string, unknown> {
  if (bytes.length > maxBytes) throw invalid(`the body is longer than ${maxBytes} bytes`);
  refuseExcessPieces(bytes);
  if (!isUtf8(bytes)) throw invalid('the body is not valid UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalid('the body is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('the body is not a JSON object');
  }
  if (countKeys(bytes) > Object.keys(value).length) throw invalid('the body has a repeated key');
  return value as Record<string, unknown>;
}

/** Looks at bytes before they are parsed, whether they are JSON or not. */
function refuseExcessPieces(bytes: Buffer): void {
  // Each takes a byte at least.
  if (bytes.length <= MAX_PIECES) return;
  let pieces = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte !== QUOTE && byte !== COMMA && byte !== OPEN_BRACE && byte !== OPEN_BRACKET) continue;
    if (++pieces > MAX_PIECES) throw invalid('the body has too many values');
    if (byte === QUOTE) at = stringEnd(bytes, at);
  }
}

/** Members of the outermost object of valid JSON: its colons that stand in no string and nothing nested. */
function countKeys(json: Buffer): number {
  let keys = 0;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = stringEnd(json, at);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte === 0x3a && depth === 1) keys++;
  }
  return keys;
}

/** Of the string's closing quote. A long string, an image in base64, is searched and not walked through. */
function stringEnd(json: Buffer, start: number): number {
  for (let at = json.indexOf(QUOTE, start + 1); at !== -1; at = json.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return json.length;
}

function invalid(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
