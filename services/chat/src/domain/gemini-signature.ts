import type { Signature } from './conversation';

/** Marks the part that a signature belongs to. Base64 contains no dot. */
const ON_TEXT = 'text.';

/**
 * Returns the signature of a text part. The neutral format represents it as thinking without text. Formats that put thinking
 * first return it in another place, so it is marked as belonging to a text.
 */
export function textSignature(value: string): Signature {
  return { wire: 'gemini', value: ON_TEXT + value };
}

/** Returns the signature of a thought or of a function call. */
export function plainSignature(value: string): Signature {
  return { wire: 'gemini', value };
}

export interface PlacedSignature {
  readonly on: 'text' | 'itself';
  readonly value: string;
}

/** Returns undefined for another provider's signature. */
export function placedSignature(signature: Signature | undefined): PlacedSignature | undefined {
  if (signature?.wire !== 'gemini') return undefined;
  const { value } = signature;
  return value.startsWith(ON_TEXT)
    ? { on: 'text', value: value.slice(ON_TEXT.length) }
    : { on: 'itself', value };
}
