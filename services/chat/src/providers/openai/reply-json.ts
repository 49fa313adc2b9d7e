import { type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type { RedactedThinkingPart, ThinkingPart } from '../../domain/conversation';
import type { StopReason } from '../../domain/reply';
import { fitToolId } from '../../domain/tool-ids';

/** A provider that gives more than this has lost its way. */
export const MAX_TOOL_CALLS = 1_024;

const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ['stop', 'end'],
  ['length', 'length'],
  /** Mistral's word for a full context. */
  ['model_length', 'context_full'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'refusal'],
]);
/** Said of a reply that did not come about: Mistral, DeepSeek. */
const FAILURES: ReadonlySet<unknown> = new Set(['error', 'insufficient_system_resource']);

export interface Heard {
  readonly refused: boolean;
  readonly calledTools: boolean;
}

/**
 * Forced calls end with `stop` at OpenAI, and refusals in words too. A word that nobody knows is an end.
 * @throws Error when the provider says that it failed
 */
export function readStop(finishReason: unknown, { refused, calledTools }: Heard): StopReason {
  assertNotFailed(finishReason);
  if (refused) return 'refusal';
  const stop = STOPS.get(textOf(finishReason)) ?? 'end';
  return stop === 'end' && calledTools ? 'tool_calls' : stop;
}

/** @throws Error when the provider says that it failed */
export function assertNotFailed(finishReason: unknown): void {
  if (FAILURES.has(finishReason)) throw new Error('provider ended its reply with a failure');
}

/** Of a message or a delta: `reasoning_details` (OpenRouter), `reasoning_content` (DeepSeek), `reasoning`. */
export function readThinking(holder: JsonObject): (ThinkingPart | RedactedThinkingPart)[] {
  const details = listOf(holder.reasoning_details).flatMap((detail) => readDetail(membersOf(detail)));
  if (details.length > 0) return details;
  const text = textOf(holder.reasoning_content) || textOf(holder.reasoning);
  return text === '' ? [] : [{ kind: 'thinking', text, signature: undefined }];
}

/** The text of a content part, and whether it is a thought: Mistral gives both as parts. */
export function readContentPart(part: JsonObject): { text: string; isThought: boolean } {
  if (part.type !== 'thinking') return { text: textOf(part.text), isThought: false };
  const pieces = listOf(part.thinking).map((piece) => textOf(membersOf(piece).text));
  return { text: pieces.join('') || textOf(part.thinking), isThought: true };
}

/** The signature beside a tool call, where Google's compatible endpoint puts it. */
export function readCallSignature(call: JsonObject): string {
  return textOf(membersOf(membersOf(call.extra_content).google).thought_signature);
}

/** JSON text; some providers give the object itself. */
export function readArguments(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
}

/** An id for a call whose provider gave none: no other call of the conversation has it. */
export function madeToolId(replyId: unknown, call: number): string {
  return fitToolId(`${textOf(replyId) || crypto.randomUUID()}:${call}`);
}

function readDetail(detail: JsonObject): (ThinkingPart | RedactedThinkingPart)[] {
  const data = textOf(detail.data);
  if (data !== '') return [{ kind: 'redacted_thinking', data: { wire: 'openai', value: data } }];
  const text = textOf(detail.text) || textOf(detail.summary);
  const value = textOf(detail.signature);
  if (value !== '') return [{ kind: 'thinking', text, signature: { wire: 'openai', value } }];
  return text === '' ? [] : [{ kind: 'thinking', text, signature: undefined }];
}
