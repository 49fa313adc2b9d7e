/** A vector as its provider wrote it: a JSON list of numbers, or the base64 of little-endian float32. */
export type Vector = { readonly json: Buffer } | { readonly base64: string };

const FLOAT_BYTES = 4;
/** Bytes of a list of numbers between its brackets. A lookup per byte costs a tenth of a regular expression. */
const IN_LIST = new Uint8Array(256);
for (const char of '0123456789-+.eE, \t\n\r') IN_LIST[char.charCodeAt(0)] = 1;

/** Returns the vector as a JSON list of numbers: the provider's own digits, if it sent any. @throws Error if it is malformed */
export function toFloats(vector: Vector): Buffer {
  if ('base64' in vector) return Buffer.from(JSON.stringify(Array.from(floatsOf(decode(vector.base64)))));
  const { json } = vector;
  for (let at = 1; at < json.length - 1; at++) if (IN_LIST[json[at]!] === 0) throw malformed();
  return json;
}

/** Returns the vector in base64. @throws Error if it is malformed */
export function toBase64(vector: Vector): string {
  const bytes =
    'base64' in vector ? decode(vector.base64) : bytesOf(JSON.parse(vector.json.toString('latin1')));
  return bytes.toString('base64');
}

/** Decoding skips what is not base64, so a wrong character shortens the result. @throws Error if it can't be a list of floats */
function decode(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  const isWhole = bytes.length > 0 && bytes.length === Buffer.byteLength(base64, 'base64');
  if (!isWhole || bytes.length % FLOAT_BYTES !== 0) throw malformed();
  return bytes;
}

function floatsOf(bytes: Buffer): Float32Array {
  const floats = new Float32Array(bytes.length / FLOAT_BYTES);
  for (let at = 0; at < floats.length; at++) floats[at] = bytes.readFloatLE(at * FLOAT_BYTES);
  return floats;
}

function bytesOf(floats: readonly unknown[]): Buffer {
  const bytes = Buffer.allocUnsafe(floats.length * FLOAT_BYTES);
  for (const [at, float] of floats.entries()) {
    if (typeof float !== 'number') throw malformed();
    bytes.writeFloatLE(float, at * FLOAT_BYTES);
  }
  return bytes;
}

/** Does not quote the reply, because errors are logged. */
const malformed = () => new Error('reply has a malformed vector');
