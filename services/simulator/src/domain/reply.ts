import type { Directive } from './directive';
import { WeightedLru } from './lru';
import type { Tokenizer } from './tokenizer';

export type PieceKind = 'thinking' | 'text' | 'tool_name' | 'tool_arguments';

/** What one chunk of a stream carries. */
export interface Piece {
  readonly kind: PieceKind;
  readonly text: string;
  /** `text` as a JSON string, made once because the same reply is streamed many times. */
  readonly json: string;
}

/** What one choice says, before any provider's format. */
export interface Reply {
  readonly pieces: readonly Piece[];
  readonly thinking: string | null;
  readonly text: string | null;
  readonly toolCall: { readonly name: string; readonly arguments: string } | null;
  readonly finishReason: 'stop' | 'length' | 'tool_calls' | 'content_filter';
}

const DEFAULT_TEXT =
  'Hello! This is a simulated reply: no model was asked, but the tokens, the stream and the meter are real.';
const CACHED_WEIGHT = 8_000_000;
const PIECE_WEIGHT = 16;

/** Writes replies and keeps recent ones, because a benchmark asks for the same one over and over. */
export class ReplyWriter {
  readonly #recent = new WeightedLru<Reply>(CACHED_WEIGHT);

  constructor(private readonly tokenizer: Tokenizer) {}

  /** @param maxTokens upper bound of the reply's tokens, thinking included; Infinity when the caller set none */
  write(directive: Directive, maxTokens: number): Reply {
    const { text, thinking, tool_call, chunks, finish_reason } = directive;
    const key = JSON.stringify([text, thinking, tool_call, chunks, finish_reason, maxTokens]);
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const reply = compose(directive, maxTokens, this.tokenizer);
    const chars = reply.pieces.reduce((sum, piece) => sum + piece.json.length, key.length);
    this.#recent.add(key, reply, chars + reply.pieces.length * PIECE_WEIGHT);
    return reply;
  }
}

function compose(directive: Directive, maxTokens: number, tokenizer: Tokenizer): Reply {
  const { chunks, tool_call: call } = directive;
  const pieces: Piece[] = [];
  let budget = maxTokens;
  let truncated = false;
  const say = (kind: PieceKind, wanted: string[], groups?: number): string => {
    const fitting = truncated ? [] : fit(wanted, budget, tokenizer);
    truncated ||= fitting.length < wanted.length;
    const said = fitting.join('');
    budget -= tokenizer.count(said);
    for (const text of group(fitting, groups)) pieces.push({ kind, text, json: JSON.stringify(text) });
    return said;
  };

  const thinking = directive.thinking?.toWellFormed();
  const saidThinking = thinking ? say('thinking', tokenizer.split(thinking)) : null;

  const text = directive.text?.toWellFormed() ?? (call === undefined ? DEFAULT_TEXT : null);
  const saidText = text === null ? null : say('text', extend(text, chunks ?? 1, tokenizer), chunks);

  let toolCall: Reply['toolCall'] = null;
  if (call !== undefined && say('tool_name', [call.name.toWellFormed()]) !== '') {
    const args = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
    const wanted = tokenizer.split(args.toWellFormed());
    const said = say('tool_arguments', wanted, text === null ? chunks : undefined);
    toolCall = { name: call.name.toWellFormed(), arguments: said };
  }

  const natural = truncated ? 'length' : toolCall === null ? 'stop' : 'tool_calls';
  return {
    pieces,
    thinking: saidThinking || null,
    text: saidText,
    toolCall,
    finishReason: directive.finish_reason ?? natural,
  };
}

/** The most leading pieces whose joined text is within `budget` tokens. */
function fit(pieces: string[], budget: number, tokenizer: Tokenizer): string[] {
  if (budget === Infinity) return pieces;
  const within = (n: number) => tokenizer.count(pieces.slice(0, n).join('')) <= budget;
  let high = Math.min(pieces.length, budget);
  if (within(high)) return pieces.slice(0, high);
  // A character of several tokens is one piece, so there can be fewer pieces than tokens.
  let low = 0;
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (within(middle)) low = middle;
    else high = middle;
  }
  return pieces.slice(0, low);
}

/** Repeats a text until it has `length` pieces; a longer one stays as it is. */
function extend(text: string, length: number, tokenizer: Tokenizer): string[] {
  const pieces = tokenizer.split(text);
  if (pieces.length === 0 || pieces.length >= length) return pieces;
  const again = tokenizer.split(` ${text}`);
  for (let i = 0; pieces.length < length; i++) pieces.push(again[i % again.length]!);
  return pieces;
}

function group(pieces: string[], groups: number | undefined): string[] {
  if (groups === undefined || pieces.length <= groups) return pieces;
  return Array.from({ length: groups }, (_, i) => {
    const start = Math.floor((i * pieces.length) / groups);
    const end = Math.floor(((i + 1) * pieces.length) / groups);
    return pieces.slice(start, end).join('');
  });
}
