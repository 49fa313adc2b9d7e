import { TokenCounter } from '../../domain/token-count';
import type { TokenUsage, UsageMode } from '../../domain/usage';
import { fromOpenAiUsage } from './chat-usage';

const DONE = Buffer.from('[DONE]');
const USAGE_KEY = Buffer.from('"usage"');
const ERROR_KEY = Buffer.from('"error"');
const NULL_USAGE = /,\s*"usage"\s*:\s*null|"usage"\s*:\s*null\s*,?/;

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
  #usage: TokenUsage | undefined;
  #unread: Buffer[] = [];
  readonly #choices = new Map<number, ChunkText>();

  /** @param includeUsage the caller asked for the usage chunk */
  constructor(includeUsage: boolean, mode: UsageMode) {
    this.#includeUsage = includeUsage;
    this.#mode = mode;
  }

  /** The provider's latest figures. */
  get usage(): TokenUsage | undefined {
    return this.#usage;
  }

  take(event: Buffer): MeteredEvent {
    if (event.includes(DONE) && dataOf(event) === '[DONE]') return { kind: 'done', bytes: event };
    this.#unread.push(event);
    const mayHoldUsage = event.includes(USAGE_KEY);
    if (!mayHoldUsage && !event.includes(ERROR_KEY)) return { kind: 'pass', bytes: event };
    return this.#inspect(event, mayHoldUsage);
  }

  /** Estimated output tokens so far, cheaply: about four characters to a token. */
  estimateOutput(): number {
    this.#read();
    let chars = 0;
    for (const text of this.#choices.values()) {
      chars +=
        text.content.length + text.reasoning.length + text.toolNames.length + text.toolArguments.length;
    }
    return Math.ceil(chars / 4);
  }

  /** Output tokens of the text that passed. */
  countOutput(): number {
    this.#read();
    const counter = new TokenCounter();
    for (const text of this.#choices.values()) {
      for (const part of [text.content, text.reasoning, text.toolNames, text.toolArguments])
        counter.addText(part);
    }
    return counter.tokens;
  }

  #inspect(event: Buffer, mayHoldUsage: boolean): MeteredEvent {
    const chunk = parseData(event);
    if (!chunk) return { kind: 'pass', bytes: event };
    if (chunk.error) return { kind: 'error' };
    if (!mayHoldUsage) return { kind: 'pass', bytes: event };
    // A later figure replaces: some providers report a running total in every chunk.
    this.#usage = fromOpenAiUsage(chunk.usage, this.#mode) ?? this.#usage;
    if (this.#includeUsage || !('usage' in chunk)) return { kind: 'pass', bytes: event };
    if (chunk.usage && Array.isArray(chunk.choices) && chunk.choices.length === 0) return { kind: 'hide' };
    return { kind: 'pass', bytes: withoutUsage(event, chunk) };
  }

  /** Moves the text of unread events to where it is counted. */
  #read(): void {
    for (const event of this.#unread) {
      for (const choice of choicesOf(parseData(event))) this.#readChoice(choice);
    }
    this.#unread = [];
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

/** The figures in an event that shows content too, as some providers send them, cut out of it. */
function withoutUsage(event: Buffer, chunk: Record<string, unknown>): Buffer {
  const text = event.toString('utf8');
  if (chunk.usage === null) return Buffer.from(text.replace(NULL_USAGE, ''));
  const { usage: _usage, ...rest } = chunk;
  return Buffer.from(`data: ${JSON.stringify(rest)}\n\n`);
}

/** The data of an event, its lines joined; comments and other fields are not data. */
function dataOf(event: Buffer): string {
  const lines = event.toString('utf8').split(/\r?\n/);
  const data = lines
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).replace(/^ /, ''));
  return data.join('\n');
}

function parseData(event: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(dataOf(event));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
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
