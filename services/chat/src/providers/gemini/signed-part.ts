import type { Signature } from '../../domain/conversation';

/** What a signature of this wire stands on. Base64 has no point. */
const ON_TEXT = 'text.';

/**
 * The signature of a text part. In the words of the domain it is a thought without words, which comes back
 * in another place where formats put thoughts first: so it says itself that it belongs to a text.
 */
export function textSignature(value: string): Signature {
  return { wire: 'gemini', value: ON_TEXT + value };
}

/** The signature of a thought or of a function call. */
export function plainSignature(value: string): Signature {
  return { wire: 'gemini', value };
}

export interface PlacedSignature {
  readonly on: 'text' | 'itself';
  readonly value: string;
}

/** Undefined for another provider's. */
export function placedSignature(signature: Signature | undefined): PlacedSignature | undefined {
  if (signature?.wire !== 'gemini') return undefined;
  const { value } = signature;
  return value.startsWith(ON_TEXT)
    ? { on: 'text', value: value.slice(ON_TEXT.length) }
    : { on: 'itself', value };
}
