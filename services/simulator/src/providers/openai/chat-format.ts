import type { Piece, Reply } from '../../domain/reply';
import type { Usage } from '../../domain/usage';
import type { StreamFrames } from '../../http/play-stream';
import type { ChatRequest } from './chat-request';

export interface ChatIdentity {
  /** 32 hex digits. */
  readonly id: string;
  readonly createdSeconds: number;
}

const FINGERPRINT = 'fp_simulator';

export function toChatCompletion(identity: ChatIdentity, request: ChatRequest, reply: Reply, usage: Usage) {
  const message = (index: number) => ({
    role: 'assistant',
    content: reply.text,
    ...(reply.thinking === null ? {} : { reasoning_content: reply.thinking }),
    ...(reply.toolCall === null
      ? {}
      : { tool_calls: [{ id: toolCallId(identity, index), type: 'function', function: reply.toolCall }] }),
    refusal: null,
    annotations: [],
  });
  return {
    id: `chatcmpl-${identity.id}`,
    object: 'chat.completion',
    created: identity.createdSeconds,
    model: request.model,
    choices: Array.from({ length: request.n }, (_, index) => ({
      index,
      message: message(index),
      logprobs: null,
      finish_reason: reply.finishReason,
    })),
    usage: toUsage(usage),
    service_tier: request.serviceTier,
    system_fingerprint: FINGERPRINT,
  };
}

export function toStreamFrames(
  identity: ChatIdentity,
  request: ChatRequest,
  reply: Reply,
  usage: Usage,
): StreamFrames {
  const { n } = request;
  const prefix = `data: {"id":"chatcmpl-${identity.id}","object":"chat.completion.chunk","created":${
    identity.createdSeconds
  },"model":${JSON.stringify(request.model)},"service_tier":${JSON.stringify(request.serviceTier)},"system_fingerprint":"${
    FINGERPRINT
  }","choices":[`;
  const suffix = request.includeUsage ? '],"usage":null}\n\n' : ']}\n\n';
  const frame = (index: number, delta: string, finishReason: string | null = null) => {
    const reason = finishReason === null ? 'null' : `"${finishReason}"`;
    return `${prefix}{"index":${index},"delta":${delta},"logprobs":null,"finish_reason":${reason}}${suffix}`;
  };
  const perChoice = (make: (index: number) => string) =>
    Array.from({ length: n }, (_, i) => make(i)).join('');

  const role = `{"role":"assistant","content":${reply.text === null ? 'null' : '""'},"refusal":null}`;
  const finals = perChoice((index) => frame(index, '{}', reply.finishReason));
  const totals = request.includeUsage ? `${prefix}],"usage":${JSON.stringify(toUsage(usage))}}\n\n` : '';
  return {
    head: perChoice((index) => frame(index, role)),
    count: reply.pieces.length * n,
    piece: (i) => {
      const index = i % n;
      const piece = reply.pieces[(i - index) / n]!;
      return frame(index, toDelta(piece, toolCallId(identity, index)));
    },
    tail: `${finals}${totals}data: [DONE]\n\n`,
  };
}

function toDelta(piece: Piece, toolCallId: string): string {
  if (piece.kind === 'text') return `{"content":${piece.json}}`;
  if (piece.kind === 'thinking') return `{"reasoning_content":${piece.json}}`;
  if (piece.kind === 'tool_arguments')
    return `{"tool_calls":[{"index":0,"function":{"arguments":${piece.json}}}]}`;
  const call = `"id":"${toolCallId}","type":"function","function":{"name":${piece.json},"arguments":""}`;
  return `{"tool_calls":[{"index":0,${call}}]}`;
}

// 29 characters, as OpenAI's are: ids of more than 40 are refused when a client sends them back.
function toolCallId(identity: ChatIdentity, index: number): string {
  return `call_${identity.id.slice(-21)}${String(index).padStart(3, '0')}`;
}

function toUsage(usage: Usage) {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
