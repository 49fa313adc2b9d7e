/** A vector as its provider wrote it: a JSON list of numbers, or the base64 of little-endian float32. */
export type Vector = { readonly json: Buffer } | { readonly base64: string };

const NUMBERS = /^\[[-+.\deE,\s]+\]$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const FLOAT_BYTES = 4;

/** Returns the vector as a JSON list of numbers: the provider's own digits, if it sent any. @throws Error if it is malformed */
export function toFloats(vector: Vector): Buffer {
  if ('base64' in vector) return Buffer.from(JSON.stringify(Array.from(fromBase64(vector.base64))));
  if (!NUMBERS.test(vector.json.toString('latin1'))) throw malformed();
  return vector.json;
}

/** Returns the vector in base64: the provider's own text, if it sent that. @throws Error if it is malformed */
export function toBase64(vector: Vector): string {
  if ('json' in vector) return bytesOf(JSON.parse(vector.json.toString('latin1'))).toString('base64');
  requireFloats(vector.base64);
  return vector.base64;
}

function fromBase64(base64: string): Float32Array {
  requireFloats(base64);
  const bytes = Buffer.from(base64, 'base64');
  const floats = new Float32Array(bytes.length / FLOAT_BYTES);
  for (let at = 0; at < floats.length; at++) floats[at] = bytes.readFloatLE(at * FLOAT_BYTES);
  return floats;
}

/** Does not decode the text, which is most of what passing it on would cost. @throws Error if it can't be a list of floats */
function requireFloats(base64: string): void {
  if (!BASE64.test(base64) || Buffer.byteLength(base64, 'base64') % FLOAT_BYTES !== 0) throw malformed();
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
