import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { withoutNull } from '../../domain/argument-pieces';
import type { RedactedThinkingPart, Signature, ThinkingPart } from '../../domain/conversation';
import { agreedStop, writeFinishReason } from '../../domain/finish-reasons';
import type { StopReason } from '../../domain/reply';
import { generatedToolId } from '../../domain/tool-ids';

/** A provider that sends more has failed. */
export const MAX_TOOL_CALLS = 1_024;

/** In lower case. The format has five; compatible servers also pass on those of the model's own API. */
const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ['stop', 'end'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  // Full contexts: Mistral, Z.ai.
  ['model_length', 'context_full'],
  ['model_context_window_exceeded', 'context_full'],
  ['tool_calls', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'refusal'],
  ['refusal', 'refusal'],
  ['safety', 'refusal'],
  // Z.ai.
  ['sensitive', 'refusal'],
]);
/** Finish reasons of failed replies: Mistral and OpenRouter, DeepSeek, Z.ai. */
const FAILURES: ReadonlySet<unknown> = new Set(['error', 'insufficient_system_resource', 'network_error']);

export interface ReceivedContent {
  readonly refused: boolean;
  /** Number of tool calls. */
  readonly calls: number;
}

/**
 * Forced calls end with `stop` at OpenAI, and so do refusals as text. An unknown reason is treated as an end.
 * @throws Error when the provider reports a failure
 */
export function readStop(finishReason: unknown, { refused, calls }: ReceivedContent): StopReason {
  assertNotFailed(finishReason);
  return refused ? 'refusal' : agreedStop(STOPS.get(textOf(finishReason).toLowerCase()), calls);
}

/**
 * Returns the finish reason of a choice that passes through, in the format's words.
 * @param calls number of its tool calls @param hasFunctionCall it has a call of the older form
 * @throws Error when the provider reports a failure
 */
export function agreedFinishReason(finishReason: unknown, calls: number, hasFunctionCall: boolean): string {
  const stop = readStop(finishReason, { refused: false, calls: calls + Number(hasFunctionCall) });
  return writeFinishReason(stop, calls === 0 && hasFunctionCall ? 'functions' : 'tools');
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

/** Returns the signature of a tool call or of a piece of one, from the field of Google's compatible endpoint. */
export function readCallSignature({ extra_content: extra }: JsonObject): Signature | undefined {
  if (extra === undefined) return undefined;
  const value = textOf(membersOf(membersOf(extra).google).thought_signature);
  return value === '' ? undefined : { wire: 'openai', value };
}

/** Returns JSON text; some providers send the object itself. */
export function readArguments(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
}

/** A call of a complete reply, as its provider wrote it, and what it says. */
export interface ReceivedCall {
  readonly received: JsonObject;
  readonly id: string;
  readonly name: string;
  /** Arguments as JSON; empty if there are none. */
  readonly text: string;
}

/** Reads the calls of a message. @throws Error for a call without a name, and for more calls than a reply may have */
export function readCalls(message: JsonObject, replyId: unknown): ReceivedCall[] {
  const calls = listOf(message.tool_calls).map(membersOf);
  if (calls.length > MAX_TOOL_CALLS) throw new Error('reply has too many tool calls');
  return calls.flatMap((received, index) => {
    const called = membersOf(received.function);
    const [id, name] = [textOf(received.id), textOf(called.name)];
    const text = withoutNull(readArguments(called.arguments));
    // A call with nothing is none: some servers send one.
    if (id + name + text === '') return [];
    if (name === '') throw new Error('reply has a tool call without a name');
    return [{ received, id: id || generatedToolId(replyId, index), name, text }];
  });
}

/** Whether a call, or a piece of one, is of a custom tool. */
export const isCustomCall = ({ custom }: JsonObject): boolean => isObject(custom);

function readDetail(detail: JsonObject): (ThinkingPart | RedactedThinkingPart)[] {
  const data = textOf(detail.data);
  if (data !== '') return [{ kind: 'redacted_thinking', data: { wire: 'openai', value: data } }];
  const text = textOf(detail.text) || textOf(detail.summary);
  const value = textOf(detail.signature);
  if (value !== '') return [{ kind: 'thinking', text, signature: { wire: 'openai', value } }];
  return text === '' ? [] : [{ kind: 'thinking', text, signature: undefined }];
}
