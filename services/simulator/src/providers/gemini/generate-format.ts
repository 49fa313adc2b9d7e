import type { Piece, Reply } from '../../domain/reply';
import { sign } from '../../domain/signer';
import { progressiveUsage, type Usage } from '../../domain/usage';
import type { ReplyContext, ReplyStream, TextRequest } from '../chat-protocol';
import { isObject, type Json } from '../json';
import type { Identity } from '../protocol';
import { signCall } from './call-signature';

const FINISH_REASONS = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  // Google has no separate reason for tool calls.
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
} as const;

// Models of these generations give each call an id; older ones identify calls by name.
const GIVES_IDS = /^gemini-[3-9]/;

export function toResponse(context: ReplyContext<TextRequest>): unknown {
  const { request, identity, reply, usage } = context;
  if (context.blocked) return toBlocked(context);
  const candidates = Array.from({ length: request.n }, (_, index) => ({
    content: { parts: toParts(request, identity, reply), role: 'model' },
    finishReason: finishReasonOf(reply),
    index,
    ...toGrounding(reply),
  }));
  return { candidates, usageMetadata: toUsage(usage), ...toOrigin(request, identity) };
}

/** Google's streams have no separate end frame: the last chunk has the finish reason. */
export function toStream(context: ReplyContext<TextRequest>): ReplyStream {
  const { request, identity, reply, usage } = context;
  if (context.blocked) {
    return { frames: { head: toFrame(toBlocked(context)), count: 0, piece: () => '', tail: '' } };
  }
  const { n } = request;
  const origin = JSON.stringify(toOrigin(request, identity)).slice(1);
  const chunk = (index: number, part: string, told: Usage, reason = '') =>
    `data: {"candidates":[{"content":{"parts":[${part}],"role":"model"}${reason},"index":${index}}],"usageMetadata":${JSON.stringify(toUsage(told))},${origin}\r\n\r\n`;
  const reportedUsage = progressiveUsage(usage, reply, n);
  const lastPart = JSON.stringify({ text: '', ...signatureOf(reply) });
  const grounding = JSON.stringify(toGrounding(reply)).slice(1, -1);
  const reason = `,"finishReason":"${finishReasonOf(reply)}"${grounding && `,${grounding}`}`;
  return {
    reportedUsage,
    frames: {
      head: '',
      count: reply.pieces.length * n,
      piece: (i) => {
        const index = i % n;
        const piece = reply.pieces[(i - index) / n]!;
        return chunk(index, toPart(request, identity, reply, piece), reportedUsage(i + 1));
      },
      tail: Array.from({ length: n }, (_, index) => chunk(index, lastPart, usage, reason)).join(''),
    },
  };
}

export const toFrame = (body: unknown) => `data: ${JSON.stringify(body)}\r\n\r\n`;

const NOTHING = '{"text":""}';

/** Content that is not shown has a chunk as well, which reports its usage. */
function toPart(request: TextRequest, identity: Identity, reply: Reply, piece: Piece): string {
  if (piece.kind === 'text') return `{"text":${piece.json}}`;
  if (piece.kind === 'thinking')
    return reply.thinkingHidden ? NOTHING : `{"text":${piece.json},"thought":true}`;
  const call = piece.kind === 'tool_name' ? null : toCall(request, identity, reply, piece.call);
  return call === null ? NOTHING : JSON.stringify(call);
}

function toParts(request: TextRequest, identity: Identity, reply: Reply): unknown[] {
  const parts: unknown[] = [];
  if (reply.thinking !== null && !reply.thinkingHidden) parts.push({ text: reply.thinking, thought: true });
  if (reply.text) parts.push({ text: reply.text, ...signatureOf(reply) });
  reply.toolCalls.forEach((_, call) => {
    const part = toCall(request, identity, reply, call);
    if (part !== null) parts.push(part);
  });
  return parts;
}

/** The first call is signed; a reply without calls has the signature in its last text if there was thinking. */
function signatureOf({ thinking, toolCalls }: Reply) {
  return thinking === null || toolCalls.length > 0 ? {} : { thoughtSignature: sign('thinking', thinking) };
}

function toCall({ model }: TextRequest, { id }: Identity, reply: Reply, call: number): object | null {
  const { name, arguments: text } = reply.toolCalls[call]!;
  const args = parseArgs(text);
  if (args === null) return null;
  const number = String(call).padStart(2, '0');
  const functionCall = { ...(GIVES_IDS.test(model) ? { id: `${id.slice(-6)}${number}` } : {}), name, args };
  return { functionCall, ...(call === 0 ? { thoughtSignature: signCall(name, args) } : {}) };
}

function finishReasonOf({ finishReason, toolCalls }: Reply): string {
  const malformed = toolCalls.some((call) => parseArgs(call.arguments) === null);
  return malformed && finishReason === 'tool_calls'
    ? 'MALFORMED_FUNCTION_CALL'
    : FINISH_REASONS[finishReason];
}

/** Returns null for arguments that are truncated or not an object: such a call is omitted. */
function parseArgs(text: string): Json | null {
  try {
    const args: unknown = JSON.parse(text);
    return isObject(args) ? args : null;
  } catch {
    return null;
  }
}

/** The metadata of searches; a segment's positions are bytes. */
function toGrounding({ searches, text }: Reply): object {
  if (searches.length === 0) return {};
  const segment = { endIndex: Buffer.byteLength(text ?? ''), text: text ?? '' };
  return {
    groundingMetadata: {
      webSearchQueries: searches,
      groundingChunks: searches.map((query) => ({
        web: { uri: `https://search.example/${encodeURIComponent(query)}`, title: `About ${query}` },
      })),
      groundingSupports: [{ segment, groundingChunkIndices: searches.map((_, at) => at) }],
    },
  };
}

function toBlocked({ request, identity, usage }: ReplyContext<TextRequest>): unknown {
  const promptFeedback = { blockReason: 'PROHIBITED_CONTENT' };
  return { promptFeedback, usageMetadata: toUsage(usage), ...toOrigin(request, identity) };
}

function toOrigin({ model }: TextRequest, { id }: Identity) {
  return { modelVersion: model, responseId: id };
}

/** Google counts thoughts separately from candidates, and omits zeros. */
function toUsage({
  promptTokens,
  completionTokens,
  cachedTokens,
  reasoningTokens,
  audioPromptTokens,
}: Usage) {
  const candidates = Math.max(0, completionTokens - reasoningTokens);
  return {
    promptTokenCount: promptTokens,
    ...(cachedTokens === 0 ? {} : { cachedContentTokenCount: cachedTokens }),
    ...(candidates === 0 ? {} : { candidatesTokenCount: candidates }),
    ...(reasoningTokens === 0 ? {} : { thoughtsTokenCount: reasoningTokens }),
    totalTokenCount: promptTokens + candidates + reasoningTokens,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: promptTokens - audioPromptTokens },
      ...(audioPromptTokens > 0 ? [{ modality: 'AUDIO', tokenCount: audioPromptTokens }] : []),
    ],
  };
}
