import { GatewayError } from '@gateway/errors';
import {
  isEmpty,
  missingParameter,
  type ParsedObject,
  parseJsonObject,
  safeParse,
  schemaError,
  withMembers,
  withoutEmptyModel,
} from '@gateway/json-body';
import { isObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type { z } from 'zod';
import type { AudioIds } from '../../domain/audio-ids';
import type { CallerRequest, UnknownFields } from '../../domain/caller-request';
import type { Conversation } from '../../domain/conversation';
import type { PassThroughChange } from '../../domain/pass-through-change';
import { MAX_WEB_SEARCHES } from '../../domain/upper-bound';
import { mapAt } from '../../json/map-at';
import { BODY_BOUNDS, MAX_FAULTS } from '../body-bounds';
import {
  type ChatCompletionBody,
  type ChatMessage,
  chatCompletionSchema,
  isPlainMessage,
  looseChatCompletionSchema,
  messageSchema,
} from './chat-schema';
import { refusePrivateLinks, sizeOfMedia } from './message-media';
import { legacyReplies, openAiReplies } from './openai-replies';
import { toConversation } from './to-conversation';

/** The parts of a request that its body for a provider is made from. */
interface ParsedRequest extends ParsedObject {
  readonly bytes: Buffer;
  readonly body: ChatCompletionBody;
  /** The messages if they differ from the caller's: with the types of calls, and the provider's ids of spoken replies. */
  readonly messages: readonly unknown[] | undefined;
}

/** Required fields for which null and empty count as missing. */
const REQUIRED = [
  ...['messages', 'role', 'content', 'type', 'image_url', 'image_url.url', 'content.text'],
  ...['tools.function', 'function.name', 'content.input_audio', 'input_audio.data', 'input_audio.format'],
  ...['audio.format', 'audio.voice', 'audio.id'],
];
const MAX_ENTRIES: Readonly<Record<string, number>> = { messages: 20_000, tools: 1_024, functions: 1_024 };
const MAX_PARTS = 20_000;
const TOOL_CALLS = ['messages', '*', 'tool_calls', '*'];

/**
 * @param unknownFields how to treat top-level fields that the format does not document
 * @param audioIds the account's ids of spoken replies; absent: it has none
 * @throws GatewayError `invalid_request`, then `missing_parameter`, then `invalid_model`
 */
export function parseChatRequest(
  bytes: Buffer,
  unknownFields: UnknownFields = 'refuse',
  audioIds?: AudioIds,
): CallerRequest {
  const json = parseJsonObject(bytes, BODY_BOUNDS);
  refuseExcessEntries(json.value);
  const value = mapAt(json.value, TOOL_CALLS, withCallType) as Record<string, unknown>;
  const body = parseBody(withoutEmptyModel(value), unknownFields);
  const stream = body.stream ?? false;
  refuseUnsupported(body, stream);
  const typed = listOf(value.messages);
  const messages = withOwnAudio(typed, audioIds) ?? (value === json.value ? undefined : typed);
  requireMessages(body);
  requireVoice(body);
  if (!body.model) throw new GatewayError('invalid_model');
  const maxOutputTokens = maximumOf(body);
  const predictionBytes = body.prediction ? Buffer.byteLength(JSON.stringify(body.prediction)) : 0;
  const parsed = messages ? { ...json, value: { ...json.value, messages } } : json;
  const speaks = body.modalities?.includes('audio') ?? false;
  let conversation: Conversation | undefined;
  return {
    wire: 'openai',
    model: body.model,
    stream,
    includeUsage: body.stream_options?.include_usage ?? false,
    serviceTier: body.service_tier ?? undefined,
    size: {
      bodyBytes: bytes.length,
      ...sizeOfMedia(body.messages),
      choices: body.n ?? 1,
      predictionBytes,
      ...(speaks && { speaks }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(body.web_search_options && { webSearches: MAX_WEB_SEARCHES }),
    },
    passThroughHeaders: {},
    usesFunctions: usesFunctions(body),
    parsed: parsed.value,
    conversation() {
      conversation ??= toConversation(body);
      return conversation;
    },
    passThroughBody: (change) => passThroughBody({ ...parsed, bytes, body, messages }, change),
    ...(speaks && audioIds && { audioIds }),
    replies: body.functions?.length ? legacyReplies : openAiReplies,
  };
}

/** Whether the call has the older form of tools. Some clients send unused members as null. */
const usesFunctions = ({ functions, function_call: choice, messages }: ChatCompletionBody): boolean =>
  functions != null ||
  choice != null ||
  messages.some((message) => message.role === 'function' || isObject(message.function_call));

function maximumOf(body: ChatCompletionBody): number | undefined {
  return body.max_completion_tokens ?? body.max_tokens ?? undefined;
}

/** Returns the caller's bytes with the necessary changes. */
function passThroughBody(
  { bytes, members, body, value: asked, messages }: ParsedRequest,
  change: PassThroughChange,
): Buffer {
  const { maxTokens, maxTokensField } = change;
  const values = new Map<string, string | undefined>([['model', JSON.stringify(change.upstreamModel)]]);
  if (messages) values.set('messages', JSON.stringify(messages));
  if (body.stream && !body.stream_options?.include_usage) {
    // Billing needs the provider's own figures; a caller who did not ask for the usage chunk does not receive it.
    values.set('stream_options', JSON.stringify({ ...body.stream_options, include_usage: true }));
  }
  const mostTokens = maxTokens ?? maximumOf(body);
  if (mostTokens !== undefined) {
    // Only the name that the provider reads: an ignored maximum would not bound the cost.
    const other = maxTokensField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
    values.set(other, undefined);
    if (maxTokens !== undefined || body[maxTokensField] == null) {
      values.set(maxTokensField, String(mostTokens));
    }
  }
  for (const [member, value] of change.overrides?.(asked) ?? []) values.set(member, value);
  return withMembers(bytes, members, values);
}

/** Refuses more entries than any conversation needs, before each of them costs time. */
function refuseExcessEntries(value: Record<string, unknown>): void {
  for (const field of ['messages', 'tools', 'functions']) {
    const list = value[field];
    if (Array.isArray(list) && list.length > MAX_ENTRIES[field]!) {
      throw new GatewayError('invalid_request', { detail: `${field}: too many entries` });
    }
  }
  let parts = 0;
  for (const message of Array.isArray(value.messages) ? value.messages : []) {
    if (Array.isArray(message?.content)) parts += message.content.length;
  }
  if (parts > MAX_PARTS) throw new GatewayError('invalid_request', { detail: 'messages: too many parts' });
}

/** @throws GatewayError for the first wrong value, or else for the first missing one */
function parseBody(value: Record<string, unknown>, unknownFields: UnknownFields): ChatCompletionBody {
  const schema = unknownFields === 'refuse' ? chatCompletionSchema : looseChatCompletionSchema;
  const result = safeParse(schema, value);
  const issues = [...(result.error?.issues ?? []), ...anthropicTools(value.tools)];
  const messages: ChatMessage[] = [];
  let faults = 0;
  for (const [index, entry] of (Array.isArray(value.messages) ? value.messages : []).entries()) {
    if (isPlainMessage(entry)) {
      messages.push(entry);
      continue;
    }
    const message = safeParse(messageSchema, entry);
    if (message.success) {
      messages.push(message.data);
      continue;
    }
    for (const issue of message.error.issues)
      issues.push({ ...issue, path: ['messages', index, ...issue.path] });
    faults += message.error.issues.length;
    if (faults >= MAX_FAULTS) break;
  }
  if (issues.length > 0 || !result.success) throw schemaError(value, issues, REQUIRED);
  return { ...result.data, messages };
}

/** A body of the other format is wrong as a whole, so the missing `type` of its tools is not reported as missing. */
function anthropicTools(tools: unknown): z.core.$ZodIssue[] {
  const isOne = (tool: Record<string, unknown> | null) => tool?.input_schema !== undefined && !tool.function;
  const at = Array.isArray(tools) ? tools.findIndex(isOne) : -1;
  if (at === -1) return [];
  const path = ['tools', at, 'input_schema'];
  return [{ code: 'custom', path, message: 'not a field of this format', input: undefined }];
}

function refuseUnsupported(body: ChatCompletionBody, stream: boolean): void {
  const refuse = (detail: string) => {
    throw new GatewayError('invalid_request', { detail });
  };
  if (body.stream_options && !stream) refuse('stream_options: only allowed when stream is true');
  const { max_tokens, max_completion_tokens } = body;
  if (max_tokens != null && max_completion_tokens != null && max_tokens !== max_completion_tokens) {
    refuse('max_tokens and max_completion_tokens differ');
  }
  if (body.audio && !body.modalities?.includes('audio'))
    refuse('audio: only allowed when modalities contains audio');
  if (body.audio && stream && body.audio.format !== 'pcm16')
    refuse('audio.format: must be pcm16 when stream is true');
  // Files are stored in the one account that all callers share.
  if (body.messages.some(namesFile)) refuse('file_id: files by id are not supported');
  refusePrivateLinks(body.messages, 'messages');
}

/** Returns the call with its type, which Mistral's clients leave out (docs.mistral.ai: its default is `function`). */
const withCallType = (call: unknown): unknown =>
  isObject(call) && call.type == null && isObject(call.function) ? { ...call, type: 'function' } : call;

/**
 * Returns the messages with the provider's ids of the spoken replies that they refer to; undefined if they refer to none.
 * @throws GatewayError `invalid_request` for an id that the account has not received
 */
function withOwnAudio(
  messages: readonly unknown[],
  audioIds: AudioIds | undefined,
): readonly unknown[] | undefined {
  if (!messages.some((message) => membersOf(message).audio != null)) return undefined;
  return messages.map((message, index) => {
    const { audio, ...others } = membersOf(message);
    if (audio == null) return message;
    const id = audioIds?.open(textOf(membersOf(audio).id));
    if (id === undefined)
      throw new GatewayError('invalid_request', { detail: `messages[${index}].audio.id: not found` });
    return { ...others, audio: { id } };
  });
}

function requireVoice({ modalities, audio }: ChatCompletionBody): void {
  if (modalities?.includes('audio') && !audio) throw missingParameter('audio');
}

function requireMessages({ messages }: ChatCompletionBody): void {
  if (messages.length === 0) throw missingParameter('messages');
  for (const [index, message] of messages.entries()) {
    if (isEmpty(message.content) && !mayBeEmpty(message))
      throw missingParameter(`messages[${index}].content`);
  }
}

/**
 * An assistant message with only tool calls or thinking has no content, and a tool's output may be empty. An empty text of
 * the assistant is a reply that its provider ended before the first word.
 */
function mayBeEmpty(message: ChatMessage): boolean {
  if (message.role === 'tool' || message.role === 'function') return message.content === '';
  if (message.role !== 'assistant') return false;
  return (
    message.content === '' ||
    !isEmpty(message.tool_calls) ||
    !isEmpty(message.refusal) ||
    !isEmpty(message.audio) ||
    !isEmpty(message.reasoning_content) ||
    !isEmpty(message.reasoning_details) ||
    !isEmpty(message.function_call)
  );
}

function namesFile({ content }: ChatMessage): boolean {
  return (
    Array.isArray(content) && content.some((part) => part.type === 'file' && part.file.file_id !== undefined)
  );
}
