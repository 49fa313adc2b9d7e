import type { Piece, Reply } from '../../domain/reply';
import type { StreamFrames } from '../../http/write-stream';
import type { ReplyContext } from '../chat-protocol';
import type { Identity } from '../protocol';
import {
  toDeltaUsage,
  toEmptyMessage,
  toStop,
  toText,
  toThoughts,
  toToolUse,
  toUsage,
} from './message-format';
import type { MessagesRequest } from './messages-request';
import { toCitation, toSearch } from './web-search';

/** Returns a message's stream: its pieces are the deltas, and a new block begins where the kind changes. */
export function toStreamFrames(context: ReplyContext<MessagesRequest>): StreamFrames {
  const { identity, request, reply, usage } = context;
  const { pieces } = reply;
  const starts = blockStarts(pieces);
  const thoughts = reply.thinking === null ? undefined : toThoughts(request, reply);
  const searches = reply.searches.map((query, at) => toSearchFrames(identity, at, query)).join('');
  // The blocks of searches precede the others.
  const first = 2 * reply.searches.length;
  const close = (block: number) => {
    const signed = pieces[starts[block]!]?.kind === 'thinking' && thoughts?.type === 'thinking';
    const index = first + block;
    const stop = event('content_block_stop', { index });
    return signed
      ? delta(index, 'signature_delta', 'signature', JSON.stringify(thoughts.signature)) + stop
      : stop;
  };
  const toEmptyBlock = (piece: Piece): unknown => {
    if (piece.kind === 'text') return toText('');
    if (piece.kind !== 'thinking') return toToolUse(identity, piece.call, piece.text, {});
    return thoughts?.type === 'thinking' ? { ...thoughts, thinking: '', signature: '' } : thoughts;
  };
  const open = (block: number, piece: Piece) =>
    (block === 0 ? '' : close(block - 1)) +
    event('content_block_start', { index: first + block, content_block: toEmptyBlock(piece) }) +
    (piece.kind === 'text' ? toCitationFrames(first + block, reply) : '');

  // The first frame reports hardly any output; the last frame reports the complete usage.
  const started = { ...usage, completionTokens: Math.min(1, usage.completionTokens), reasoningTokens: 0 };
  const message = { ...toEmptyMessage(context), usage: toUsage(context, started, false) };
  const outcome = {
    delta: { ...toStop(reply), container: null },
    usage: toDeltaUsage(usage, reply.searches.length),
  };
  return {
    head: event('message_start', { message }) + event('ping', {}) + searches,
    count: pieces.length,
    piece: (i) => {
      const block = starts.findLastIndex((start) => start <= i);
      const piece = pieces[i]!;
      const said = toDelta(first + block, piece, reply);
      return starts[block] === i ? open(block, piece) + said : said;
    },
    tail: `${starts.length === 0 ? '' : close(starts.length - 1)}${event('message_delta', outcome)}${event('message_stop', {})}`,
  };
}

function toSearchFrames(identity: Identity, at: number, query: string): string {
  const [call, result] = toSearch(identity, at, query, {});
  const index = 2 * at;
  return (
    event('content_block_start', { index, content_block: call }) +
    delta(index, 'input_json_delta', 'partial_json', JSON.stringify(JSON.stringify({ query }))) +
    event('content_block_stop', { index }) +
    event('content_block_start', { index: index + 1, content_block: result }) +
    event('content_block_stop', { index: index + 1 })
  );
}

const toCitationFrames = (index: number, { searches }: Reply): string =>
  searches
    .map((query) => delta(index, 'citations_delta', 'citation', JSON.stringify(toCitation(query))))
    .join('');

/** Returns the indexes of the pieces at which thinking, text and each tool call begin. */
function blockStarts(pieces: readonly Piece[]): number[] {
  return pieces.flatMap((piece, i) => {
    const begins = piece.kind === 'tool_name' || piece.kind !== pieces[i - 1]?.kind;
    return begins && piece.kind !== 'tool_arguments' ? [i] : [];
  });
}

function toDelta(block: number, piece: Piece, reply: Reply): string {
  if (piece.kind === 'text') return delta(block, 'text_delta', 'text', piece.json);
  if (piece.kind === 'tool_arguments') return delta(block, 'input_json_delta', 'partial_json', piece.json);
  if (piece.kind === 'tool_name') return delta(block, 'input_json_delta', 'partial_json', '""');
  return reply.thinkingHidden ? '' : delta(block, 'thinking_delta', 'thinking', piece.json);
}

/** @param json the field's value as JSON */
function delta(block: number, type: string, field: string, json: string): string {
  return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${block},"delta":{"type":"${type}","${field}":${json}}}\n\n`;
}

function event(type: string, body: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`;
}
