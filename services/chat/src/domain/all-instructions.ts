import type { Conversation, TextPart } from './conversation';

/** Those from the middle of a conversation behind the first ones, for providers that take them there alone. */
export function allInstructions({ system, turns }: Conversation): readonly TextPart[] {
  const later = turns.filter((turn) => turn.role === 'system');
  return later.length === 0 ? system : [...system, ...later.flatMap(({ parts }) => parts)];
}
