import type { Piece, Reply } from '../../domain/reply';
import { type SpokenRequest, speak } from '../../domain/spoken-reply';
import type { Usage } from '../../domain/usage';
import type { StreamFrames } from '../../http/write-stream';
import type { ReplyContext } from '../chat-protocol';
import type { Identity } from '../protocol';
import { type ChatRequest, MAX_N } from './chat-request';

const FINGERPRINT = 'fp_simulator';

export function toChatCompletion({ identity, request, reply, usage }: ReplyContext<ChatRequest>) {
  const { mistralFormat } = request;
  const thinking = reply.thinkingHidden ? null : reply.thinking;
  const audio =
    request.spoken && reply.text !== null ? toAudio(identity, reply.text, request.spoken, usage) : null;
  const content = audio ? null : reply.text;
  const message = (index: number) => ({
    role: 'assistant',
    content: mistralFormat && thinking !== null ? toParts(thinking, content) : content,
    ...(audio && { audio }),
    ...(thinking === null || mistralFormat ? {} : { reasoning_content: thinking }),
    ...(reply.toolCalls.length === 0
      ? {}
      : {
          tool_calls: reply.toolCalls.map((called, call) => ({
            id: toolCallId(identity, index, call),
            ...(mistralFormat ? {} : { type: 'function' }),
            function: called,
          })),
        }),
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
    usage: toUsage(usage, request),
    service_tier: request.serviceTier,
    system_fingerprint: FINGERPRINT,
  };
}

export function toStreamFrames({ identity, request, reply, usage }: ReplyContext<ChatRequest>): StreamFrames {
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

  const { spoken } = request;
  const audioId = JSON.stringify(audioIdOf(identity, usage));
  const role = `{"role":"assistant","content":${reply.text === null || spoken ? 'null' : '""'},"refusal":null}`;
  const expiry = spoken && reply.text !== null ? `{"audio":{"expires_at":${expiryOf(identity)}}}` : undefined;
  const finals = perChoice(
    (index) => (expiry ? frame(index, expiry) : '') + frame(index, '{}', reply.finishReason),
  );
  const totals = request.includeUsage
    ? `${prefix}],"usage":${JSON.stringify(toUsage(usage, request))}}\n\n`
    : '';
  return {
    head: perChoice((index) => frame(index, role)),
    count: reply.pieces.length * n,
    piece: (i) => {
      const index = i % n;
      const piece = reply.pieces[(i - index) / n]!;
      if (isRedacted(piece, reply)) return '';
      // Mistral sends a call with its arguments in one chunk (vercel/ai#19178).
      if (request.mistralFormat && piece.kind === 'tool_arguments') return '';
      if (spoken && piece.kind === 'text') {
        const data = speak(piece.text, spoken.format);
        const said = frame(index, `{"audio":{"id":${audioId},"transcript":${piece.json}}}`);
        return said + frame(index, `{"audio":{"id":${audioId},"data":"${data}"}}`);
      }
      const id = toolCallId(identity, index, piece.call);
      return frame(index, request.mistralFormat ? toMistralDelta(piece, reply, id) : toDelta(piece, id));
    },
    tail: `${finals}${totals}data: [DONE]\n\n`,
  };
}

const AUDIO_LIFETIME_SECONDS = 3_600;

const expiryOf = ({ createdSeconds }: Identity): number => createdSeconds + AUDIO_LIFETIME_SECONDS;

/** Ends with the tokens of the audio, which a later call that refers to it is charged for. */
const audioIdOf = ({ id }: Identity, { audioCompletionTokens }: Usage): string =>
  `audio_${Buffer.from(id).toString('hex').slice(-24)}_${audioCompletionTokens}`;

const toAudio = (identity: Identity, transcript: string, { format }: SpokenRequest, usage: Usage) => ({
  id: audioIdOf(identity, usage),
  data: speak(transcript, format),
  expires_at: expiryOf(identity),
  transcript,
});

function isRedacted(piece: Piece, reply: Reply): boolean {
  return piece.kind === 'thinking' && reply.thinkingHidden;
}

function toDelta(piece: Piece, toolCallId: string): string {
  if (piece.kind === 'text') return `{"content":${piece.json}}`;
  if (piece.kind === 'thinking') return `{"reasoning_content":${piece.json}}`;
  if (piece.kind === 'tool_arguments')
    return `{"tool_calls":[{"index":${piece.call},"function":{"arguments":${piece.json}}}]}`;
  const call = `"id":"${toolCallId}","type":"function","function":{"name":${piece.json},"arguments":""}`;
  return `{"tool_calls":[{"index":${piece.call},${call}}]}`;
}

const toParts = (thinking: string, text: string | null) => [
  { type: 'thinking', thinking: [{ type: 'text', text: thinking }] },
  ...(text === null ? [] : [{ type: 'text', text }]),
];

function toMistralDelta(piece: Piece, { toolCalls }: Reply, toolCallId: string): string {
  if (piece.kind === 'thinking') {
    return `{"content":[{"type":"thinking","thinking":[{"type":"text","text":${piece.json}}]}]}`;
  }
  if (piece.kind === 'text') return toDelta(piece, toolCallId);
  return `{"tool_calls":[{"id":"${toolCallId}","function":${JSON.stringify(toolCalls[piece.call])}}]}`;
}

// 29 characters, as OpenAI's are: ids of more than 40 are refused when a client sends them back.
function toolCallId(identity: Identity, choice: number, call: number): string {
  const number = (call * MAX_N + choice).toString(16).padStart(3, '0');
  return `call_${identity.id.slice(-21)}${number}`;
}

function toUsage(usage: Usage, { separateReasoning, mistralFormat }: ChatRequest) {
  if (mistralFormat) {
    return {
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
      total_tokens: usage.promptTokens + usage.completionTokens,
      num_cached_tokens: usage.cachedTokens,
    };
  }
  const completionTokens = usage.completionTokens - (separateReasoning ? usage.reasoningTokens : 0);
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedTokens,
      cache_write_tokens: usage.cacheWriteTokens,
      audio_tokens: usage.audioPromptTokens,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: usage.audioCompletionTokens,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
