import type { AssistantPart, AssistantTurn, Turn, UserPart, UserTurn } from '../../domain/conversation';
import { isThought, joinSpokenTurns } from '../../domain/join-adjacent-turns';
import { isBlank } from './write-input';

export type MessageTurn = UserTurn | AssistantTurn;

/** Returns alternating user and assistant turns with the parts that the API accepts. */
export function messageTurns(turns: readonly Turn[]): readonly MessageTurn[] {
  const carried: MessageTurn[] = [];
  for (const turn of turns) {
    if (turn.role === 'system') continue;
    const sent = carriedOf(turn);
    if (sent.parts.length > 0) carried.push(sent);
  }
  // An assistant message must not consist of thinking only, nor end in it.
  return joinSpokenTurns(carried, ({ parts }) => parts.every(isThought));
}

/** Removes blank text, and thinking that Anthropic has not signed. */
function carriedOf(turn: MessageTurn): MessageTurn {
  if (turn.parts.every(isCarried)) return turn;
  return turn.role === 'user'
    ? { role: 'user', parts: turn.parts.filter(isCarried) }
    : { role: 'assistant', parts: turn.parts.filter(isCarried) };
}

function isCarried(part: UserPart | AssistantPart): boolean {
  if (part.kind === 'text') return !isBlank(part.text);
  if (part.kind === 'thinking') return part.signature?.wire === 'anthropic' && part.signature.value !== '';
  if (part.kind === 'redacted_thinking') return part.data.wire === 'anthropic' && part.data.value !== '';
  return true;
}
