import { TokenCounter } from '../../domain/token-count';
import type { TokenUsage, UsageMode } from '../../domain/usage';
import { dataOf, parseData } from '../sse-data';
import { fromOpenAiUsage } from './chat-usage';
import type { UnreadBudget } from './unread-budget';

/** `data: [DONE]` with any framing is shorter than any chunk. */
const MAX_DONE_BYTES = 32;
const DONE = Buffer.from('[DONE]');
/** A quote inside a JSON string is escaped, so these bytes are always a member. */
const NULL_USAGE_MEMBER = Buffer.from(',"usage":null');
/** Of unread events, below which reading them early saves too little memory. */
const MIN_READ_BYTES = 64 * 1024;
const CHARS_PER_TOKEN = 4;
const USAGE_KEY = Buffer.from('"usage"');
const ERROR_KEY = Buffer.from('"error"');

/** What an event is to the relay. */
export type MeteredEvent =
  | { readonly kind: 'pass'; readonly bytes: Buffer }
  /** Ours alone: the caller did not ask for it. */
  | { readonly kind: 'hide' }
  | { readonly kind: 'done'; readonly bytes: Buffer }
  /** The provider broke off with an error of its own. */
  | { readonly kind: 'error' };

interface ChunkText {
  content: string;
  reasoning: string;
  toolNames: string;
  toolArguments: string;
}

/**
 * Reads usage off a stream of chat completion chunks while they pass. An event is parsed only when its bytes
 * say that it may hold figures or an error; the text is read later, and only if it has to be counted.
 */
export class StreamMeter {
  readonly #includeUsage: boolean;
  readonly #mode: UsageMode;
  readonly #budget: UnreadBudget;
  #usage: TokenUsage | undefined;
  /** Events as they came, to be read only if their text has to be counted. */
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #events = 0;
  #eventBytes = 0;
  #leastEventBytes = Number.POSITIVE_INFINITY;
  readonly #choices = new Map<number, ChunkText>();

  /** @param includeUsage the caller asked for the usage chunk */
  constructor(includeUsage: boolean, mode: UsageMode, budget: UnreadBudget) {
    this.#includeUsage = includeUsage;
    this.#mode = mode;
    this.#budget = budget;
  }

  /** The provider's latest figures. */
  get usage(): TokenUsage | undefined {
    return this.#usage;
  }

  take(event: Buffer): MeteredEvent {
    if (event.length <= MAX_DONE_BYTES && event.includes(DONE) && dataOf(event) === '[DONE]') {
      return { kind: 'done', bytes: event };
    }
    const nullUsage = event.indexOf(NULL_USAGE_MEMBER);
    if (nullUsage !== -1) {
      const bytes = this.#includeUsage ? event : without(event, nullUsage);
      this.#keep(bytes);
      return { kind: 'pass', bytes };
    }
    this.#keep(event);
    if (event.includes(USAGE_KEY) || event.includes(ERROR_KEY)) return this.#inspect(event);
    return { kind: 'pass', bytes: event };
  }

  /**
   * About how many output tokens passed: one for each event, or what the events are longer than the shortest
   * by four characters to a token.
   */
  estimateOutput(): number {
    if (this.#events === 0) return 0;
    const textBytes = this.#eventBytes - this.#events * this.#leastEventBytes;
    return Math.max(this.#events, Math.ceil(textBytes / CHARS_PER_TOKEN));
  }

  /** Output tokens of the text that passed. */
  countOutput(): number {
    try {
      this.#read();
    } catch {
      // Text past all measure.
      return this.estimateOutput();
    }
    const counter = new TokenCounter();
    for (const text of this.#choices.values()) {
      for (const part of [text.content, text.reasoning, text.toolNames, text.toolArguments])
        counter.addText(part);
    }
    return counter.tokens;
  }

  /** Lets go of what is unread. */
  close(): void {
    this.#budget.add(-this.#unreadBytes);
    this.#unread = [];
    this.#unreadBytes = 0;
  }

  #keep(event: Buffer): void {
    this.#events++;
    this.#eventBytes += event.length;
    if (event.length < this.#leastEventBytes) this.#leastEventBytes = event.length;
    this.#unread.push(event);
    this.#unreadBytes += event.length;
    this.#budget.add(event.length);
    if (this.#budget.exhausted && this.#unreadBytes > MIN_READ_BYTES) this.#read();
  }

  #inspect(event: Buffer): MeteredEvent {
    const chunk = parseData(event);
    if (!chunk) return { kind: 'pass', bytes: event };
    if (chunk.error) return { kind: 'error' };
    if (!('usage' in chunk)) return { kind: 'pass', bytes: event };
    // A later figure replaces: some providers report a running total in every chunk.
    this.#usage = fromOpenAiUsage(chunk.usage, this.#mode) ?? this.#usage;
    if (this.#includeUsage) return { kind: 'pass', bytes: event };
    if (chunk.usage && choicesOf(chunk).length === 0) return { kind: 'hide' };
    const { usage: _usage, ...rest } = chunk;
    return { kind: 'pass', bytes: Buffer.from(`data: ${JSON.stringify(rest)}\n\n`) };
  }

  /** Moves the text of unread events to where it is counted. */
  #read(): void {
    for (const event of this.#unread) {
      for (const choice of choicesOf(parseData(event))) this.#readChoice(choice);
    }
    this.close();
  }

  #readChoice(choice: Record<string, unknown>): void {
    const index = typeof choice.index === 'number' ? choice.index : 0;
    let text = this.#choices.get(index);
    if (!text) {
      text = { content: '', reasoning: '', toolNames: '', toolArguments: '' };
      this.#choices.set(index, text);
    }
    const delta = asObject(choice.delta);
    text.content += asText(delta.content) + asText(delta.refusal);
    text.reasoning += asText(delta.reasoning_content) || asText(delta.reasoning);
    for (const call of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) {
      const called = asObject(asObject(call).function);
      text.toolNames += asText(called.name);
      text.toolArguments += asText(called.arguments);
    }
  }
}

/** In place: the event's bytes are nobody else's, and a copy of every chunk would be felt. */
function without(event: Buffer, at: number): Buffer {
  event.copyWithin(at, at + NULL_USAGE_MEMBER.length);
  return event.subarray(0, event.length - NULL_USAGE_MEMBER.length);
}

function choicesOf(chunk: Record<string, unknown> | undefined): Record<string, unknown>[] {
  return Array.isArray(chunk?.choices) ? chunk.choices.map(asObject) : [];
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
