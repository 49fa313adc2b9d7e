import { GatewayError } from '@gateway/proto';
import type { MaxTokensField } from '../../domain/provider';
import type { RequestSize } from '../../domain/upper-bound';
import { withMembers } from '../json-members';
import { type ParsedObject, parseJsonObject } from '../parse-json-object';
import { isEmpty, missingParameter, schemaError } from '../schema-error';
import {
  type ChatCompletionBody,
  type ChatMessage,
  chatCompletionSchema,
  messageSchema,
} from './chat-schema';

/** A valid chat completion request. */
export interface ChatRequest {
  /** As the caller wrote it; not yet known to be a slug. */
  readonly model: string;
  readonly stream: boolean;
  /** The caller wants the usage chunk in its stream. */
  readonly includeUsage: boolean;
  readonly serviceTier: string | undefined;
  readonly size: RequestSize;
  readonly body: ChatCompletionBody;
  readonly bytes: Buffer;
  readonly members: ParsedObject['members'];
}

/** Required fields for which null and empty count as missing. */
const REQUIRED = new Set(['messages', 'role', 'content', 'type']);
const MAX_ENTRIES: Readonly<Record<string, number>> = { messages: 20_000, tools: 1_024, functions: 1_024 };
const MAX_PARTS = 20_000;
/** Enough to tell a wrong value from a missing one. */
const MAX_FAULTY_MESSAGES = 100;
const MEDIA_PARTS = new Set(['image_url', 'input_audio', 'file']);

/** @throws GatewayError `invalid_request`, then `missing_parameter`, then `invalid_model`. */
export function parseChatRequest(bytes: Buffer): ChatRequest {
  const { value, members } = parseJsonObject(bytes);
  refuseExcess(value);
  const body = parseBody(value);
  const stream = body.stream ?? false;
  refuseUnsupported(body, stream);
  requireMessages(body);
  if (!body.model) throw new GatewayError('invalid_model');
  const maxOutputTokens = body.max_completion_tokens ?? body.max_tokens;
  const predictionBytes = body.prediction ? JSON.stringify(body.prediction).length : 0;
  return {
    model: body.model,
    stream,
    includeUsage: body.stream_options?.include_usage ?? false,
    serviceTier: body.service_tier ?? undefined,
    size: {
      bodyBytes: bytes.length,
      hasMedia: body.messages.some(hasMedia),
      choices: body.n ?? 1,
      predictionBytes,
      ...(maxOutputTokens != null && { maxOutputTokens }),
    },
    body,
    bytes,
    members,
  };
}

/**
 * The request as the provider gets it: the caller's bytes but for what must change.
 * @param maxTokens output per choice that funds pay for, when it is less than the caller's own maximum
 */
export function toUpstreamBody(
  request: ChatRequest,
  upstreamModel: string,
  maxTokens: number | undefined,
  maxTokensField: MaxTokensField,
): Buffer {
  const values = new Map<string, string | undefined>([['model', JSON.stringify(upstreamModel)]]);
  if (request.stream && !request.includeUsage) {
    // The bill needs the provider's own figures; the caller does not see the chunk it did not ask for.
    values.set('stream_options', JSON.stringify({ ...request.body.stream_options, include_usage: true }));
  }
  const mostTokens = maxTokens ?? request.size.maxOutputTokens;
  if (mostTokens !== undefined) {
    // Under the one name that the provider heeds: a maximum that it ignored would not bound the bill.
    const other = maxTokensField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
    values.set(other, undefined);
    if (maxTokens !== undefined || request.body[maxTokensField] == null) {
      values.set(maxTokensField, String(mostTokens));
    }
  }
  return withMembers(request.bytes, request.members, values);
}

/** What no conversation needs is refused before every entry of it costs time. */
function refuseExcess(value: Record<string, unknown>): void {
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

/** @throws GatewayError for the first wrong value, else for the first missing one */
function parseBody(value: Record<string, unknown>): ChatCompletionBody {
  const result = chatCompletionSchema.safeParse(value);
  const issues = result.success ? [] : [...result.error.issues];
  const messages: ChatMessage[] = [];
  let faulty = 0;
  for (const [index, entry] of (Array.isArray(value.messages) ? value.messages : []).entries()) {
    const message = messageSchema.safeParse(entry);
    if (message.success) {
      messages.push(message.data);
      continue;
    }
    for (const issue of message.error.issues)
      issues.push({ ...issue, path: ['messages', index, ...issue.path] });
    if (++faulty === MAX_FAULTY_MESSAGES) break;
  }
  if (issues.length > 0 || !result.success) throw schemaError(value, issues, REQUIRED);
  return { ...result.data, messages };
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
  // Billed by the provider in ways that have no price here.
  if (body.modalities?.includes('audio') || body.audio) refuse('audio output is not offered');
  if (body.web_search_options) refuse('web_search_options: not offered');
}

function requireMessages({ messages }: ChatCompletionBody): void {
  if (messages.length === 0) throw missingParameter('messages');
  for (const [index, message] of messages.entries()) {
    if (isEmpty(message.content) && !mayBeEmpty(message))
      throw missingParameter(`messages[${index}].content`);
  }
}

/** An assistant that only called tools has no content, and a tool may well print nothing. */
function mayBeEmpty(message: ChatMessage): boolean {
  if (message.role === 'tool' || message.role === 'function') return message.content === '';
  if (message.role !== 'assistant') return false;
  return (
    !isEmpty(message.tool_calls) ||
    !isEmpty(message.refusal) ||
    'function_call' in message ||
    'audio' in message
  );
}

function hasMedia({ content }: ChatMessage): boolean {
  return Array.isArray(content) && content.some((part) => MEDIA_PARTS.has(part.type));
}
