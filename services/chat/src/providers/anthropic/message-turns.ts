import type { AssistantPart, AssistantTurn, Turn, UserPart, UserTurn } from '../../domain/conversation';
import { isThought, joinSpokenTurns } from '../../domain/join-adjacent-turns';
import { isBlankText, withoutBlankTexts } from './blank-texts';

export type MessageTurn = UserTurn | AssistantTurn;

/** Returns alternating user and assistant turns with the parts that the API accepts. */
export function messageTurns(turns: readonly Turn[]): readonly MessageTurn[] {
  const carried = turns.flatMap((turn) => (turn.role === 'system' ? [] : [carriedOf(turn)]));
  const sent = carried.filter(({ parts }) => parts.length > 0);
  return joinSpokenTurns(sent, isSilent).map(withoutBlanks);
}

/** An assistant message must not consist of thinking only, nor end in it, and no message of white space. */
const isSilent = ({ parts }: MessageTurn): boolean =>
  parts.every((part) => isThought(part) || isBlankText(part));

function withoutBlanks(turn: MessageTurn): MessageTurn {
  const parts: readonly (UserPart | AssistantPart)[] = withoutBlankTexts<UserPart | AssistantPart>(
    turn.parts,
  );
  return parts === turn.parts ? turn : ({ role: turn.role, parts } as MessageTurn);
}

/** Removes thinking that Anthropic has not signed. */
function carriedOf(turn: MessageTurn): MessageTurn {
  if (turn.role === 'user' || turn.parts.every(isCarried)) return turn;
  return { role: 'assistant', parts: turn.parts.filter(isCarried) };
}

function isCarried(part: AssistantPart): boolean {
  if (part.kind === 'thinking') return part.signature?.wire === 'anthropic' && part.signature.value !== '';
  if (part.kind === 'redacted_thinking') return part.data.wire === 'anthropic' && part.data.value !== '';
  return true;
}
