import type { Conversation, TextPart } from './conversation';

/** Returns all instructions joined, those in the middle of the conversation last, for providers that accept them only first. */
export function allInstructions({ system, turns }: Conversation): readonly TextPart[] {
  const later = turns.filter((turn) => turn.role === 'system');
  return later.length === 0 ? system : [...system, ...later.flatMap(({ parts }) => parts)];
}
