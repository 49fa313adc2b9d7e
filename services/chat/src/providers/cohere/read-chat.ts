import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { withoutNull } from '../../domain/argument-pieces';
import type { AssistantPart } from '../../domain/conversation';
import type { Reply } from '../../domain/reply';
import { generatedToolId } from '../../domain/tool-ids';
import { MAX_TOOL_CALLS } from '../openai/reply-json';
import { readFinishReason } from './finish-reason';

/**
 * Reads a complete reply. The plan that a model writes before it calls tools is thinking.
 * @throws Error when it is not a reply of this format, or reports a failure
 */
export function readChat(reply: JsonObject): Reply {
  if (!isObject(reply.message)) throw new Error('reply has no message');
  const { message } = reply;
  const calls = listOf(message.tool_calls);
  if (calls.length > MAX_TOOL_CALLS) throw new Error('reply has too many tool calls');
  return {
    parts: [
      ...thoughtOf(textOf(message.tool_plan)),
      ...listOf(message.content).flatMap((part) => readPart(membersOf(part))),
      ...calls.map((call, index) => readCall(membersOf(call), reply.id, index)),
    ],
    stop: readFinishReason(reply.finish_reason, calls.length),
  };
}

function readPart({ type, text, thinking }: JsonObject): AssistantPart[] {
  if (type === 'thinking') return thoughtOf(textOf(thinking));
  return textOf(text) === '' ? [] : [{ kind: 'text', text: textOf(text), cache: undefined }];
}

const thoughtOf = (text: string): AssistantPart[] =>
  text === '' ? [] : [{ kind: 'thinking', text, signature: undefined }];

function readCall(call: JsonObject, replyId: unknown, index: number): AssistantPart {
  const { name, arguments: given } = membersOf(call.function);
  if (textOf(name) === '') throw new Error('reply has a tool call without a name');
  return {
    kind: 'tool_call',
    id: textOf(call.id) || generatedToolId(replyId, index),
    name: textOf(name),
    arguments: withoutNull(textOf(given)),
    signature: undefined,
    cache: undefined,
  };
}
