import type { AssistantPart, Signature } from '../../domain/conversation';
import { plainSignature, textSignature } from '../../domain/gemini-signature';

/** Thinking of another provider, on its way through a client of this format. */
export interface ForeignThought {
  readonly kind: 'thinking' | 'redacted_thinking' | 'call';
  readonly text: string;
  readonly signature: Signature;
}

const TAG = 'gw1.';

/**
 * Returns a `thoughtSignature` with the thoughts of another provider. It is base64, because clients decode it, and contains the
 * text, because they need not send the thought itself back.
 */
export const writeForeign = (thoughts: readonly ForeignThought[]): string =>
  Buffer.from(TAG + JSON.stringify(thoughts)).toString('base64');

/** Returns undefined for a signature of Gemini. */
export function readForeign(signature: string): readonly ForeignThought[] | undefined {
  const decoded = Buffer.from(signature, 'base64url').toString('utf8');
  if (!decoded.startsWith(TAG)) return undefined;
  try {
    const thoughts: unknown = JSON.parse(decoded.slice(TAG.length));
    return Array.isArray(thoughts) ? thoughts.filter(isThought) : [];
  } catch {
    return [];
  }
}

function isThought(value: unknown): value is ForeignThought {
  const { kind, text, signature } = (value ?? {}) as Partial<ForeignThought>;
  const isKnown = kind === 'thinking' || kind === 'redacted_thinking' || kind === 'call';
  return (
    isKnown &&
    typeof text === 'string' &&
    typeof signature?.wire === 'string' &&
    typeof signature.value === 'string'
  );
}

/** Python's package sends signatures in base64url; Google's own are in base64. */
export const standardBase64 = (signature: string): string =>
  signature.replaceAll('-', '+').replaceAll('_', '/');

/** Returns Gemini's own signature of a text as the neutral format has it. */
export const signedText = (signature: string): AssistantPart => ({
  kind: 'thinking',
  text: '',
  signature: textSignature(standardBase64(signature)),
});

export const ownSignature = (signature: string): Signature => plainSignature(standardBase64(signature));
