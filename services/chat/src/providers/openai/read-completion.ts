import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type { AssistantPart, TextPart, ToolCallPart } from '../../domain/conversation';
import type { Reply } from '../../domain/reply';
import { readCallSignature, readCalls, readContentPart, readStop, readThinking } from './reply-json';

/** @throws Error when it is not a completion, or reports a failure */
export function readCompletion(reply: JsonObject): Reply {
  const choice = membersOf(listOf(reply.choices)[0]);
  if (!isCompletionChoice(choice)) throw new Error('reply has no message');
  const message = membersOf(choice.message);
  const refusal = textOf(message.refusal);
  const calls = readCalls(message, reply.id).map(callPart);
  return {
    parts: [
      ...readThinking(message),
      ...readContent(message.content),
      ...(refusal === '' ? [] : [textPart(refusal)]),
      ...calls,
    ],
    stop: readStop(choice.finish_reason, { refused: refusal !== '', calls: calls.length }),
  };
}

/** Azure omits the message of a choice that it filtered. */
export const isCompletionChoice = ({ message, finish_reason: reason }: JsonObject): boolean =>
  isObject(message) || reason === 'content_filter';

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

function callPart({ received, id, name, text }: ReturnType<typeof readCalls>[number]): ToolCallPart {
  const signature = readCallSignature(received);
  return {
    kind: 'tool_call',
    id,
    name,
    arguments: text,
    signature,
    cache: undefined,
  };
}
