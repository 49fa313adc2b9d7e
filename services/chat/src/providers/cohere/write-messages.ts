import { GatewayError } from '@gateway/errors';
import { listOf, membersOf, textOf } from '@gateway/upstream';
import type { Conversation } from '../../domain/conversation';
import { type OpenAiQuirks, QUIRKS } from '../openai/quirks';
import { writeMessages } from '../openai/write-messages';

type Message = Readonly<Record<string, unknown>>;

/** Cohere's messages are those of OpenAI's format, but for thinking. */
const QUIRKS_OF_MESSAGES: OpenAiQuirks = (() => {
  const { documentPart: _none, ...common } = QUIRKS.common;
  return { ...common, strictOrder: true, reasoningReplay: 'reasoning_content' };
})();
/** The API refuses empty content. */
const NO_OUTPUT = '(no output)';

/**
 * Writes a conversation as messages of `/v2/chat`.
 * @param reasons the model thinks: it receives its earlier thinking in the form in which it writes it
 * @throws GatewayError `invalid_request` for audio and PDFs
 */
export function writeChatMessages(conversation: Conversation, reasons: boolean): Message[] {
  if (conversation.turns.some(({ parts }) => parts.some(({ kind }) => kind === 'audio'))) {
    throw new GatewayError('invalid_request', { detail: 'audio is not supported by this model' });
  }
  return writeMessages(conversation, QUIRKS_OF_MESSAGES).map((message) => writeMessage(message, reasons));
}

function writeMessage(message: Message, reasons: boolean): Message {
  const { role, content, tool_call_id, tool_calls, reasoning_content: thought } = message;
  if (role === 'tool') return { role, tool_call_id, content: textOf(content) || NO_OUTPUT };
  if (role !== 'assistant') return { role, content };
  const calls = listOf(tool_calls).map(membersOf);
  // Only the thinking of a turn that goes on matters.
  const replayed = calls.length > 0 ? textOf(thought) : '';
  const parts = [
    ...(reasons && replayed !== '' ? [{ type: 'thinking', thinking: replayed }] : []),
    ...(textOf(content) === '' ? [] : [{ type: 'text', text: textOf(content) }]),
  ];
  return {
    role,
    content: parts.length > 0 ? parts : undefined,
    tool_plan: !reasons && replayed !== '' ? replayed : undefined,
    tool_calls:
      calls.length > 0
        ? calls.map(({ id, type, function: called }) => ({ id, type, function: called }))
        : undefined,
  };
}
