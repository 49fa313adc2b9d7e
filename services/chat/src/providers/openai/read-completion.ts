import { type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type { AssistantPart, TextPart, ToolCallPart } from '../../domain/conversation';
import type { Reply } from '../../domain/reply';
import {
  generatedToolId,
  MAX_TOOL_CALLS,
  readArguments,
  readCallSignature,
  readContentPart,
  readStop,
  readThinking,
} from './reply-json';

/** @throws Error when it is not a completion, or reports a failure */
export function readCompletion(reply: JsonObject): Reply {
  const choice = membersOf(listOf(reply.choices)[0]);
  if (typeof choice.message !== 'object' || choice.message === null) throw new Error('reply has no message');
  const message = choice.message as JsonObject;
  const refusal = textOf(message.refusal);
  const calls = readCalls(message, reply.id);
  return {
    parts: [
      ...readThinking(message),
      ...readContent(message.content),
      ...(refusal === '' ? [] : [textPart(refusal)]),
      ...calls,
    ],
    stop: readStop(choice.finish_reason, { refused: refusal !== '', calledTools: calls.length > 0 }),
  };
}

function readContent(content: unknown): AssistantPart[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)];
  return listOf(content).flatMap((part): AssistantPart[] => {
    const { text, isThinking } = readContentPart(membersOf(part));
    if (text === '') return [];
    return [isThinking ? { kind: 'thinking', text, signature: undefined } : textPart(text)];
  });
}

function textPart(text: string): TextPart {
  return { kind: 'text', text, cache: undefined };
}

function readCalls(message: JsonObject, replyId: unknown): ToolCallPart[] {
  const calls = listOf(message.tool_calls);
  if (calls.length > MAX_TOOL_CALLS) throw new Error('reply has too many tool calls');
  return calls.map((entry, index) => {
    const call = membersOf(entry);
    const called = membersOf(call.function);
    const name = textOf(called.name);
    if (name === '') throw new Error('reply has a tool call without a name');
    const signature = readCallSignature(call);
    return {
      kind: 'tool_call',
      id: textOf(call.id) || generatedToolId(replyId, index),
      name,
      arguments: readArguments(called.arguments),
      signature: signature === '' ? undefined : { wire: 'openai', value: signature },
      cache: undefined,
    };
  });
}
