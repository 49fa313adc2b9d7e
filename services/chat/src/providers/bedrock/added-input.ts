import type { Conversation } from '../../domain/conversation';
import { addedInputTokens as addedToMessages } from '../anthropic/added-input';

/** Text that a call, a result or a document gets: that of a call without tools, of an empty result, of a name. */
const PART_TOKENS = 32;
const EXTENDED = new Set(['tool_call', 'tool_result', 'document']);

/** Bounds the text that the translation and the model's provider add; bytes bound tokens. */
export function addedInputTokens(conversation: Conversation): number {
  let tokens = addedToMessages(conversation);
  for (const { parts } of conversation.turns) {
    for (const { kind } of parts) if (EXTENDED.has(kind)) tokens += PART_TOKENS;
  }
  return tokens;
}
