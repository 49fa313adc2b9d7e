import { GatewayError } from '@gateway/proto';
import type { MaxTokensField } from '../../domain/provider';
import type { RequestSize } from '../../domain/upper-bound';
import { withMembers } from '../json-members';
import { type ParsedObject, parseJsonObject } from '../parse-json-object';
import { isEmpty, missingParameter, schemaError } from '../schema-error';
import { type ChatCompletionBody, chatCompletionSchema } from './chat-schema';

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
const MEDIA_PARTS = new Set(['image_url', 'input_audio', 'file']);

/** @throws GatewayError `invalid_request`, then `missing_parameter`, then `invalid_model`. */
export function parseChatRequest(bytes: Buffer): ChatRequest {
  const { value, members } = parseJsonObject(bytes);
  const result = chatCompletionSchema.safeParse(value);
  if (!result.success) throw schemaError(value, result.error.issues, REQUIRED);
  const body = result.data;
  const stream = body.stream ?? false;
  refuseUnsupported(body, stream);
  requireMessages(body);
  if (!body.model) throw new GatewayError('invalid_model');
  const maxOutputTokens = body.max_completion_tokens ?? body.max_tokens;
  return {
    model: body.model,
    stream,
    includeUsage: body.stream_options?.include_usage ?? false,
    serviceTier: body.service_tier ?? undefined,
    size: {
      bodyBytes: bytes.length,
      hasMedia: body.messages.some(hasMedia),
      choices: body.n ?? 1,
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
  const values = new Map([['model', JSON.stringify(upstreamModel)]]);
  if (request.stream && !request.includeUsage) {
    // The bill needs the provider's own figures; the caller does not see the chunk it did not ask for.
    values.set('stream_options', JSON.stringify({ ...request.body.stream_options, include_usage: true }));
  }
  if (maxTokens !== undefined) {
    const named = (['max_tokens', 'max_completion_tokens'] as const).filter(
      (field) => request.body[field] != null,
    );
    for (const field of named.length > 0 ? named : [maxTokensField]) values.set(field, String(maxTokens));
  }
  return withMembers(request.bytes, request.members, values);
}

function refuseUnsupported(body: ChatCompletionBody, stream: boolean): void {
  const refuse = (detail: string) => {
    throw new GatewayError('invalid_request', { detail });
  };
  if (body.stream_options && !stream) refuse('stream_options: only allowed when stream is true');
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
function mayBeEmpty(message: ChatCompletionBody['messages'][number]): boolean {
  if (message.role === 'tool' || message.role === 'function') return message.content === '';
  if (message.role !== 'assistant') return false;
  return (
    !isEmpty(message.tool_calls) ||
    !isEmpty(message.refusal) ||
    'function_call' in message ||
    'audio' in message
  );
}

function hasMedia({ content }: ChatCompletionBody['messages'][number]): boolean {
  return Array.isArray(content) && content.some((part) => MEDIA_PARTS.has(part.type));
}
