import type { Reply } from '../../domain/reply';
import { redact, sign } from '../../domain/signer';
import type { Usage } from '../../domain/usage';
import type { ReplyContext } from '../chat-protocol';
import { isObject } from '../json';
import type { Identity } from '../protocol';
import type { MessagesRequest } from './messages-request';
import { toCitation, toSearch } from './web-search';

const STOP_REASONS = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
} as const;

export function toMessage(context: ReplyContext<MessagesRequest>) {
  const { reply, usage } = context;
  return {
    ...toEmptyMessage(context),
    content: toContent(context),
    ...toStop(reply),
    usage: toUsage(context, usage),
  };
}

/** Returns the message with which a stream begins, without content. */
export function toEmptyMessage({ identity, request }: ReplyContext<MessagesRequest>) {
  return {
    id: `msg_${identity.id}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content: [] as unknown[],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
  };
}

/** Returns the fields that say why the message ended. */
export function toStop({ finishReason, stopSequence }: Reply) {
  const stopped = stopSequence !== null && finishReason === 'stop';
  return {
    stop_reason: stopped ? 'stop_sequence' : STOP_REASONS[finishReason],
    stop_sequence: stopped ? stopSequence : null,
    stop_details:
      finishReason === 'content_filter' ? { type: 'refusal', category: null, explanation: null } : null,
  };
}

export function toUsage({ request, reply }: ReplyContext<MessagesRequest>, usage: Usage, hasEnded = true) {
  const { cacheWriteTokens } = usage;
  return {
    ...toDeltaUsage(usage, hasEnded ? reply.searches.length : 0),
    cache_creation: {
      ephemeral_5m_input_tokens: request.cacheHour ? 0 : cacheWriteTokens,
      ephemeral_1h_input_tokens: request.cacheHour ? cacheWriteTokens : 0,
    },
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  };
}

/** Anthropic's input tokens exclude cache reads and writes. */
export function toDeltaUsage(usage: Usage, searches: number) {
  const { promptTokens, cachedTokens, cacheWriteTokens } = usage;
  return {
    input_tokens: Math.max(0, promptTokens - cachedTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: usage.completionTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
    server_tool_use: searches === 0 ? null : { web_search_requests: searches, web_fetch_requests: 0 },
  };
}

function toContent({ identity, request, reply }: ReplyContext<MessagesRequest>): unknown[] {
  const content: unknown[] = [];
  if (reply.thinking !== null) content.push(toThoughts(request, reply));
  reply.searches.forEach((query, at) => {
    content.push(...toSearch(identity, at, query));
  });
  const citations = reply.searches.map(toCitation);
  if (reply.text) content.push({ ...toText(reply.text), ...(citations.length > 0 && { citations }) });
  for (const [call, { name, arguments: args }] of reply.toolCalls.entries()) {
    content.push(toToolUse(identity, call, name, parseInput(args)));
  }
  return content;
}

/** Returns a block that can be sent back: complete, with the signature only if the request omits thinking, or redacted. */
export function toThoughts({ options }: MessagesRequest, { thinking, thinkingHidden }: Reply) {
  const thought = thinking ?? '';
  if (options.thinking === 'hidden')
    return { type: 'thinking', thinking: '', signature: redact(thought) } as const;
  if (thinkingHidden) return { type: 'redacted_thinking', data: redact(thought) } as const;
  return { type: 'thinking', thinking: thought, signature: sign('thinking', thought) } as const;
}

export const toText = (text: string) => ({ type: 'text', text });

export function toToolUse(identity: Identity, call: number, name: string, input: unknown) {
  const id = `toolu_${identity.id.slice(-22)}${String(call).padStart(2, '0')}`;
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' } };
}

// Truncated or invalid arguments are visible only in a stream.
function parseInput(text: string): unknown {
  try {
    const input: unknown = JSON.parse(text);
    return isObject(input) ? input : {};
  } catch {
    return {};
  }
}
