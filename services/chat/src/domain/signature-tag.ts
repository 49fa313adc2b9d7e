import type { Signature, Wire } from './conversation';

const TAG = 'gw1.';
const WIRES: ReadonlySet<string> = new Set<Wire>(['openai', 'anthropic', 'gemini']);

/**
 * A signature in a format that is not its maker's own, so that it is known when it comes back, also beside
 * another provider's: `gw1.<wire>.<value>`.
 */
export function tagSignature({ wire, value }: Signature): string {
  return `${TAG}${wire}.${value}`;
}

/** Whether a signature says whose it is. */
export function isTagged(text: string): boolean {
  return text.startsWith(TAG);
}

/** @param own whose signature it is if it has no tag */
export function readSignature(text: string, own: Wire): Signature {
  if (isTagged(text)) {
    const dot = text.indexOf('.', TAG.length);
    const wire = text.slice(TAG.length, dot);
    if (WIRES.has(wire)) return { wire: wire as Wire, value: text.slice(dot + 1) };
  }
  return { wire: own, value: text };
}
