import type { ApiFormat, Signature } from './conversation';

const TAG = 'gw1.';
const WIRES: ReadonlySet<string> = new Set<ApiFormat>([
  'openai',
  'responses',
  'anthropic',
  'gemini',
  'cohere',
  'bedrock',
]);

/**
 * Tags a signature with the wire format of the provider that issued it, for a caller of another format: `gw1.<wire>.<value>`.
 * The tag identifies it when the caller sends it back, among the signatures of other providers.
 */
export function tagSignature({ wire, value }: Signature): string {
  return `${TAG}${wire}.${value}`;
}

/** Returns whether a signature has a tag. */
export function isTagged(text: string): boolean {
  return text.startsWith(TAG);
}

/** @param own the wire format of a signature without a tag */
export function readSignature(text: string, own: ApiFormat): Signature {
  if (isTagged(text)) {
    const dot = text.indexOf('.', TAG.length);
    const wire = text.slice(TAG.length, dot);
    if (WIRES.has(wire)) return { wire: wire as ApiFormat, value: text.slice(dot + 1) };
  }
  return { wire: own, value: text };
}
