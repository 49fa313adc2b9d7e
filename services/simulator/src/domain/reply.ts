import type { Directive } from './directive';
import { WeightedLru } from './lru';
import type { ToolCall } from './prompt';
import type { Tokenizer } from './tokenizer';

export type PieceKind = 'thinking' | 'text' | 'tool_name' | 'tool_arguments';

/** The content of one chunk of a stream. */
export interface Piece {
  readonly kind: PieceKind;
  readonly text: string;
  /** Index of the tool call to which the piece belongs; 0 for other pieces. */
  readonly call: number;
  /** `text` as a JSON string, computed once because the same reply is streamed many times. */
  readonly json: string;
}

/** The reply of one choice, independent of the provider's format. */
export interface Reply {
  readonly pieces: readonly Piece[];
  readonly thinking: string | null;
  /** The thinking is counted but not shown. */
  readonly thinkingHidden: boolean;
  readonly text: string | null;
  readonly toolCalls: readonly ToolCall[];
  /** Queries for which the provider has searched the web before it answered. */
  readonly searches: readonly string[];
  readonly finishReason: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  /** The stop sequence that ended the text, which excludes it. */
  readonly stopSequence: string | null;
}

/** What the request demands of the reply; the directive takes precedence, except over limits. */
export interface ReplyOptions {
  /** Maximum tokens of the reply, including thinking; Infinity if the caller set no maximum. */
  readonly maxTokens: number;
  readonly stopSequences: readonly string[];
  readonly thinking: 'shown' | 'hidden' | 'off';
  /** A tool call that the request forces, with valid arguments. */
  readonly toolCall: ToolCall | null;
  /** A text in the requested format. */
  readonly text: string | null;
  /** Maximum searches of the web; 0 if the request offers none. */
  readonly maxSearches: number;
  /** The provider never streams arguments in parts. */
  readonly wholeArguments: boolean;
}

export const DEFAULT_OPTIONS: ReplyOptions = {
  maxTokens: Number.POSITIVE_INFINITY,
  stopSequences: [],
  thinking: 'shown',
  toolCall: null,
  text: null,
  maxSearches: 0,
  wholeArguments: false,
};

const DEFAULT_SEARCHES = ['a simulated query'];

const DEFAULT_TEXT =
  'Hello! This is a simulated reply: no model was asked, but the tokens, the stream and the meter are real.';
const CACHED_WEIGHT = 8_000_000;
const PIECE_WEIGHT = 16;

/** Composes replies and caches recent ones, because a benchmark requests the same reply repeatedly. */
export class ReplyWriter {
  readonly #recent = new WeightedLru<Reply>(CACHED_WEIGHT);

  constructor(private readonly tokenizer: Tokenizer) {}

  write(directive: Directive, options: ReplyOptions): Reply {
    const { text, thinking, hide_thinking, tool_call, chunks, finish_reason, searches } = directive;
    const says = [text, thinking, hide_thinking, tool_call, chunks, finish_reason, searches];
    const key = JSON.stringify([says, options]);
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const reply = compose(directive, options, this.tokenizer);
    const chars = reply.pieces.reduce((sum, piece) => sum + piece.json.length, key.length);
    this.#recent.add(key, reply, chars + reply.pieces.length * PIECE_WEIGHT);
    return reply;
  }
}

function compose(directive: Directive, options: ReplyOptions, tokenizer: Tokenizer): Reply {
  const { chunks } = directive;
  const pieces: Piece[] = [];
  const toolCalls: ToolCall[] = [];
  let budget = options.maxTokens;
  let truncated = false;
  const say = (kind: PieceKind, wanted: string[], groups?: number): string => {
    const fitting = truncated ? [] : fit(wanted, budget, tokenizer);
    truncated ||= fitting.length < wanted.length;
    const said = fitting.join('');
    budget -= tokenizer.count(said);
    const call = toolCalls.length;
    for (const text of group(fitting, groups)) {
      pieces.push({ kind, text, call, json: JSON.stringify(text) });
    }
    return said;
  };

  const thinking = options.thinking === 'off' ? undefined : directive.thinking?.toWellFormed();
  const thinkingHidden = options.thinking === 'hidden' || directive.hide_thinking === true;
  const saidThinking = thinking
    ? say('thinking', tokenizer.split(thinking), thinkingHidden ? 1 : undefined)
    : null;

  const { text, calls } = content(directive, options);
  const wanted = text === null ? null : untilStop(text, directive, options, tokenizer);
  const saidText = wanted === null ? null : say('text', wanted.pieces, chunks);
  const stopSequence = truncated ? null : (wanted?.stopSequence ?? null);

  const groups = options.wholeArguments ? 1 : text === null ? chunks : undefined;
  for (const { name, arguments: args } of stopSequence === null ? calls : []) {
    if (say('tool_name', [name]) === '') break;
    toolCalls.push({ name, arguments: say('tool_arguments', tokenizer.split(args), groups) });
  }

  const natural = truncated ? 'length' : toolCalls.length === 0 ? 'stop' : 'tool_calls';
  return {
    pieces,
    thinking: saidThinking || null,
    thinkingHidden,
    text: saidText,
    toolCalls,
    searches: (directive.searches ?? DEFAULT_SEARCHES).slice(0, options.maxSearches),
    finishReason: directive.finish_reason ?? natural,
    stopSequence,
  };
}

/** Returns the content set by the directive, else what the request demands, else the default. */
function content(
  directive: Directive,
  options: ReplyOptions,
): { text: string | null; calls: readonly ToolCall[] } {
  const text = directive.text?.toWellFormed() ?? null;
  if (directive.tool_call !== undefined) return { text, calls: [directive.tool_call].flat().map(toToolCall) };
  if (text === null && options.toolCall !== null) return { text, calls: [options.toolCall] };
  return { text: text ?? options.text ?? DEFAULT_TEXT, calls: [] };
}

function toToolCall({ name, arguments: args = {} }: { name: string; arguments?: unknown }): ToolCall {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return { name: name.toWellFormed(), arguments: text.toWellFormed() };
}

function untilStop(text: string, directive: Directive, options: ReplyOptions, tokenizer: Tokenizer) {
  // A text in a requested format would no longer be valid if it were repeated.
  const length = directive.text === undefined && text === options.text ? 1 : (directive.chunks ?? 1);
  const pieces = extend(text, length, tokenizer);
  if (options.stopSequences.length === 0) return { pieces, stopSequence: null };
  const whole = pieces.join('');
  let end = whole.length;
  let stopSequence: string | null = null;
  for (const stop of options.stopSequences) {
    const at = whole.indexOf(stop);
    if (at === -1 || at >= end) continue;
    end = at;
    stopSequence = stop;
  }
  return { pieces: stopSequence === null ? pieces : tokenizer.split(whole.slice(0, end)), stopSequence };
}

/** Returns as many leading pieces as fit into `budget` tokens when joined. */
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

/** Repeats a text until it has `length` pieces; a longer text is unchanged. */
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
