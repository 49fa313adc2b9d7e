import { isObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type {
  AssistantPart,
  RedactedThinkingPart,
  ThinkingPart,
  ToolCallPart,
} from '../../domain/conversation';
import { readSignature } from '../../domain/signature-tag';
import type { ChatMessage } from './chat-schema';
import { readCacheHint, readTexts, refused } from './read-parts';

type ToolCall = NonNullable<ChatMessage['tool_calls']>[number];

/**
 * Reads an assistant turn of the history: its thinking, then its text, then its calls.
 * @param legacyCallId of a `function_call`, which has no id
 */
export function readAssistant(message: ChatMessage, path: string, legacyCallId: string): AssistantPart[] {
  if (message.audio) throw refused(`${path}.audio`, 'audio responses are not supported by this model');
  const parts: AssistantPart[] = readThinking(message);
  for (const part of readTexts(message.content, `${path}.content`)) parts.push(part);
  if (message.refusal) parts.push({ kind: 'text', text: message.refusal, cache: undefined });
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    parts.push(readToolCall(call, `${path}.tool_calls[${index}]`));
  }
  const legacy = membersOf(message.function_call);
  if (typeof legacy.name === 'string') {
    parts.push({
      kind: 'tool_call',
      id: legacyCallId,
      name: legacy.name,
      arguments: isObject(legacy.arguments) ? JSON.stringify(legacy.arguments) : textOf(legacy.arguments),
      signature: undefined,
      cache: undefined,
    });
  }
  return parts;
}

/**
 * `reasoning_details` has more information than `reasoning_content` (or `reasoning`), which repeats its text. Both are
 * extensions: the former is OpenRouter's, the latter DeepSeek's.
 */
function readThinking(message: ChatMessage): AssistantPart[] {
  const details = listOf(message.reasoning_details);
  const parts = details.length > 0 ? joined(details.map(membersOf)).flatMap(readDetail) : [];
  const text = textOf(message.reasoning_content) || textOf(message.reasoning);
  return parts.length > 0 || text === '' ? parts : [{ kind: 'thinking', text, signature: undefined }];
}

interface Detail {
  readonly index: unknown;
  readonly data: string;
  text: string;
  signature: string;
}

/** Clients that collect a stream send its pieces back unjoined: pieces of one thought share an index. */
function joined(details: readonly Record<string, unknown>[]): Detail[] {
  const thoughts: Detail[] = [];
  for (const { index, data, text, summary, signature } of details) {
    const last = thoughts.at(-1);
    const piece = {
      index,
      data: textOf(data),
      text: textOf(text) || textOf(summary),
      signature: textOf(signature),
    };
    if (last && index !== undefined && last.index === index && last.data === '' && piece.data === '') {
      last.text += piece.text;
      last.signature += piece.signature;
    } else {
      thoughts.push(piece);
    }
  }
  return thoughts;
}

function readDetail({ data, text, signature }: Detail): (ThinkingPart | RedactedThinkingPart)[] {
  if (data !== '') return [{ kind: 'redacted_thinking', data: readSignature(data, 'openai') }];
  if (signature !== '') return [{ kind: 'thinking', text, signature: readSignature(signature, 'openai') }];
  return text === '' ? [] : [{ kind: 'thinking', text, signature: undefined }];
}

function readToolCall(call: ToolCall, path: string): ToolCallPart {
  if (!call.function) throw refused(path, 'custom tools are not supported by this model');
  // The field is Google's own, so a signature without a tag is Google's.
  const signature = textOf(membersOf(membersOf(call.extra_content).google).thought_signature);
  return {
    kind: 'tool_call',
    id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
    signature: signature === '' ? undefined : readSignature(signature, 'gemini'),
    cache: readCacheHint(call),
  };
}
