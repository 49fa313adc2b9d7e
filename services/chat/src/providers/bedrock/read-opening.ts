import { type JsonObject, membersOf, textOf } from '@gateway/upstream';
import type { OpeningEvent } from '../../domain/chat-provider';
import { readStopReason } from './stop-reason';

/** Reads an event of a stream that has had no content yet. @throws Error when the reply failed */
export function readOpeningEvent({
  contentBlockStart,
  contentBlockDelta,
  messageStop,
  metadata,
}: JsonObject): OpeningEvent {
  if (metadata) return 'ended';
  if (messageStop) {
    const reason = textOf(membersOf(messageStop).stopReason);
    readStopReason(reason, 0);
    return reason === '' ? 'waiting' : 'finished';
  }
  const isCall = Boolean(membersOf(membersOf(contentBlockStart).start).toolUse);
  return isCall || hasContent(membersOf(membersOf(contentBlockDelta).delta)) ? 'content' : 'waiting';
}

/** A signature alone belongs to thinking that is not returned. */
function hasContent({ text, reasoningContent, toolUse }: JsonObject): boolean {
  const { text: thought, signature, redactedContent } = membersOf(reasoningContent);
  const pieces = [text, thought, signature, redactedContent, membersOf(toolUse).input];
  return pieces.some((value) => textOf(value) !== '');
}
