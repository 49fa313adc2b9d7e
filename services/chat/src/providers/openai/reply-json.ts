import { type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type { RedactedThinkingPart, ThinkingPart } from '../../domain/conversation';
import type { StopReason } from '../../domain/reply';
import { fitToolId } from '../../domain/tool-ids';

/** A provider that sends more has failed. */
export const MAX_TOOL_CALLS = 1_024;

const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ['stop', 'end'],
  ['length', 'length'],
  /** Mistral's reason for a full context. */
  ['model_length', 'context_full'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'refusal'],
]);
/** Finish reasons of failed replies: Mistral, DeepSeek. */
const FAILURES: ReadonlySet<unknown> = new Set(['error', 'insufficient_system_resource']);

export interface ReceivedContent {
  readonly refused: boolean;
  readonly calledTools: boolean;
}

/**
 * Forced calls end with `stop` at OpenAI, and so do refusals as text. An unknown reason is treated as an end.
 * @throws Error when the provider reports a failure
 */
export function readStop(finishReason: unknown, { refused, calledTools }: ReceivedContent): StopReason {
  assertNotFailed(finishReason);
  if (refused) return 'refusal';
  const stop = STOPS.get(textOf(finishReason)) ?? 'end';
  return stop === 'end' && calledTools ? 'tool_calls' : stop;
}

/** Whether the value is a finish reason of a reply that did not fail; null in all chunks before the last of a choice. */
export const isFinishReason = (value: unknown): boolean => textOf(value) !== '' && !FAILURES.has(value);

/** @throws Error when the provider reports a failure */
export function assertNotFailed(finishReason: unknown): void {
  if (FAILURES.has(finishReason)) throw new Error('provider ended its reply with a failure');
}

/** Reads thinking of a message or delta: `reasoning_details` (OpenRouter), `reasoning_content` (DeepSeek), `reasoning`. */
export function readThinking(holder: JsonObject): (ThinkingPart | RedactedThinkingPart)[] {
  const details = listOf(holder.reasoning_details).flatMap((detail) => readDetail(membersOf(detail)));
  if (details.length > 0) return details;
  const text = textOf(holder.reasoning_content) || textOf(holder.reasoning);
  return text === '' ? [] : [{ kind: 'thinking', text, signature: undefined }];
}

/** Returns the text of a content part, and whether it is thinking: Mistral sends both as parts. */
export function readContentPart(part: JsonObject): { text: string; isThinking: boolean } {
  if (part.type !== 'thinking') return { text: textOf(part.text), isThinking: false };
  const pieces = listOf(part.thinking).map((piece) => textOf(membersOf(piece).text));
  return { text: pieces.join('') || textOf(part.thinking), isThinking: true };
}

/** Returns the signature of a tool call, from the field of Google's compatible endpoint. */
export function readCallSignature(call: JsonObject): string {
  return textOf(membersOf(membersOf(call.extra_content).google).thought_signature);
}

/** Returns JSON text; some providers send the object itself. */
export function readArguments(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
}

/** Returns an id for a call without one, unique in the conversation. */
export function generatedToolId(replyId: unknown, call: number): string {
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
