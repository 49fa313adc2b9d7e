import { GatewayError } from '@gateway/errors';
import { listOf, membersOf, textOf } from '@gateway/upstream';
import type { Conversation } from '../../domain/conversation';
import { type OpenAiQuirks, QUIRKS } from '../openai/quirks';
import { writeMessages } from '../openai/write-messages';

type Message = Readonly<Record<string, unknown>>;

const { documentPart: _none, ...withoutDocuments } = QUIRKS.common;
/** Cohere's messages are those of OpenAI's format, but for thinking. */
const QUIRKS_OF_MESSAGES: OpenAiQuirks = {
  ...withoutDocuments,
  strictOrder: true,
  reasoningReplay: 'reasoning_content',
};
/** The API refuses empty content. */
const NO_OUTPUT = '(no output)';

/**
 * Writes a conversation as messages of `/v2/chat`. What the model said before tool calls is their plan.
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
  const { role, content, tool_call_id, tool_calls, reasoning_content } = message;
  if (role === 'tool') return { role, tool_call_id, content: textOf(content) || NO_OUTPUT };
  if (role !== 'assistant') return { role, content };
  const text = textOf(content);
  const calls = listOf(tool_calls).map(membersOf);
  // The thinking of a turn without calls is of no use any more.
  if (calls.length === 0) return { role, content: text };
  const thought = textOf(reasoning_content);
  const plan = [reasons ? '' : thought, text].filter((words) => words !== '').join('\n');
  return {
    role,
    content: reasons && thought !== '' ? [{ type: 'thinking', thinking: thought }] : undefined,
    tool_plan: plan === '' ? undefined : plan,
    tool_calls: calls.map(({ id, type, function: called }) => ({ id, type, function: called })),
  };
}
