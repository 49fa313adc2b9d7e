import { GatewayError } from '@gateway/errors';
import { isEmpty, parseJsonObject } from '@gateway/json-body';
import { isObject } from '@gateway/upstream';
import type { ReplyIdentity } from '../../domain/caller-request';
import type { Reply } from '../../domain/reply';
import { responseId } from '../../domain/response-members';
import type { BilledUsage } from '../../domain/usage';
import { BODY_BOUNDS } from '../body-bounds';
import { compactingCall, compactionItem } from './compacting-call';
import { writeUsage } from './response-json';
import {
  parseResponsesRequest,
  type ResponsesCall,
  type ResponsesOptions,
  type ResponsesRequest,
} from './responses-request';
import { type InputItem, isCompactionTrigger } from './responses-schema';
import { toStoredItems } from './stored-items';

/** Fields of a response's body that change nothing in a compaction; clients send them with those of their session (Codex). */
const WITHOUT_EFFECT = [
  ...[
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'max_tool_calls',
    'reasoning',
    'text',
    'include',
    'store',
  ],
  ...['temperature', 'top_p', 'truncation', 'metadata', 'user', 'safety_identifier', 'service_tier'],
  ...['client_metadata', 'stream_options'],
];
/** Fields whose effect a caller would miss. */
const REFUSED = ['stream', 'background', 'max_output_tokens'];

/**
 * Parses the body of `POST /v1/responses/compact`. With `previous_response_id` it needs no input.
 * @throws GatewayError as `parseResponsesRequest`
 */
export function parseCompaction(bytes: Buffer, options: ResponsesOptions): ResponsesRequest {
  const { value } = parseJsonObject(bytes, BODY_BOUNDS);
  const body: Record<string, unknown> = { ...value };
  for (const field of REFUSED) {
    if (body[field] != null && body[field] !== false)
      throw new GatewayError('invalid_request', { detail: `${field}: not supported by a compaction` });
    delete body[field];
  }
  for (const field of WITHOUT_EFFECT) delete body[field];
  if (Array.isArray(body.input)) body.input = body.input.filter((item) => !isCompactionTrigger(item));
  const continues = !isEmpty(body.previous_response_id);
  if (continues && isEmpty(body.input)) body.input = [];
  const request = parseResponsesRequest(Buffer.from(JSON.stringify({ ...body, store: false })), {
    ...options,
    takesNoInput: continues,
  });
  return { ...request, withItems: (stored) => compactionOf(request.withItems(stored)) };
}

function compactionOf(call: ResponsesCall): ResponsesCall {
  return {
    ...compactingCall(call),
    passThroughBody: (change) =>
      call.passThroughBody({
        ...change,
        maxTokens: undefined,
        overrides: (body) => new Map([...(change.overrides?.(body) ?? []), ['store', undefined]]),
      }),
    replies: {
      ...call.replies,
      write: (reply, usage, identity) =>
        writeCompaction(userMessages(call.parsed.input), reply, usage, identity),
    },
  };
}

/** Returns what the user has said, of which OpenAI's compactions contain every message. */
function userMessages(input: unknown): InputItem[] {
  if (!Array.isArray(input)) return [{ role: 'user', content: input as string }];
  return input.filter(
    (item) => isObject(item) && (item.type ?? 'message') === 'message' && item.role === 'user',
  );
}

/** @throws Error for a reply without a text */
function writeCompaction(
  messages: readonly InputItem[],
  { parts }: Reply,
  usage: BilledUsage,
  { requestId, createdAtMs }: ReplyIdentity,
): Buffer {
  const text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  const named = messages.map((item, index) => ({ ...item, id: `msg_${requestId}_${index}` }));
  const compaction = compactionItem(`cmp_${requestId}_${named.length}`, text);
  const compacted = {
    id: responseId(requestId),
    object: 'response.compaction',
    created_at: Math.floor(createdAtMs / 1_000),
    output: [...toStoredItems(named, requestId), compaction],
    usage: writeUsage(usage),
  };
  return Buffer.from(JSON.stringify(compacted));
}
