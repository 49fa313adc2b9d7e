import type { ReplyPart } from '../../domain/reply';

/** Returns whether the part is another provider's signature without text: Gemini signs a text with a part of its own. */
export function isEmptyThinking(part: ReplyPart): boolean {
  return part.kind === 'thinking' && part.text === '' && part.signature?.wire !== 'anthropic';
}

/**
 * Returns the parts without empty thinking that precedes a text or follows one: clients take the first or the last block for
 * the answer, and such a signature is only a hint.
 */
export function withoutEmptyThinking(parts: readonly ReplyPart[]): ReplyPart[] {
  const firstText = parts.findIndex((part) => part.kind === 'text');
  if (firstText === -1) return [...parts];
  return parts.filter(
    (part, at) => !isEmptyThinking(part) || (at < firstText && parts[at + 1]?.kind !== 'text'),
  );
}
