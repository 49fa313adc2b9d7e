import type { AssistantPart } from '../../domain/conversation';

/** A signature of another provider's that signs no words: Gemini's on a text, told as a part of its own. */
export function isWordless(part: AssistantPart): boolean {
  return part.kind === 'thinking' && part.text === '' && part.signature?.wire !== 'anthropic';
}

/**
 * The parts without wordless thoughts that stand before a text or anywhere after one: clients take the first
 * block for the answer, or the last, and such a signature is only a hint.
 */
export function withoutHints(parts: readonly AssistantPart[]): AssistantPart[] {
  const firstText = parts.findIndex((part) => part.kind === 'text');
  if (firstText === -1) return [...parts];
  return parts.filter((part, at) => !isWordless(part) || (at < firstText && parts[at + 1]?.kind !== 'text'));
}
