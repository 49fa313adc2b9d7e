import { inputTokensOf } from '@gateway/pricing';
import type { Quota } from '@gateway/quota';
import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { ArgumentPieces } from '../../domain/argument-pieces';
import type { MeteredStream, PassThroughEvent, PassThroughOptions } from '../../domain/chat-provider';
import { withoutOperatorsCosts } from '../../domain/operators-costs';
import { hasAllFigures, type TokenUsage, withSearches } from '../../domain/usage';
import { exactUsd } from '../../json/exact-json';
import { isCalledError, isErrorEvent } from '../../sse/error-event';
import { namedFrame } from '../../sse/named-frame';
import { dataOf, endsLikeObject, parseData, parseExactData } from '../../sse/sse-data';
import { UncountedEvents } from '../uncounted-events';
import { fromMessagesUsage, MessageFigures } from './anthropic-usage';
import { MessageText } from './message-text';
import { isSearch } from './read-message';
import { agreedReason, isToolUse, repairedToolUse } from './repair-message';
import { reportedStop } from './stop-reason';

/** A quote inside a JSON string is escaped, so these bytes are never a model's text. */
const DELTA = Buffer.from('"content_block_delta"');
const SIGNATURE = Buffer.from('"signature_delta"');
const TOOL_USE = Buffer.from('"tool_use"');
const SERVER_TOOL_USE = Buffer.from('"server_tool_use"');
const INPUT_DELTA = Buffer.from('"input_json_delta"');
const BLOCK_START = Buffer.from('"content_block_start"');
const BLOCK_STOP = Buffer.from('"content_block_stop"');
/** Mark the start of a delta's text: `…_delta","partial_json":"`. */
const DELTA_TYPE_END = Buffer.from('_delta","');
const TEXT_START = Buffer.from('":"');
/** Length of the end of a delta: `"}}` and the blank line. */
const DELTA_END_BYTES = 5;
const BYTES_PER_TOKEN = 4;
const TELLING_MARKERS = ['"usage"', '"message_delta"', '"message_stop"', '"error"'].map((text) =>
  Buffer.from(text),
);
const END = Buffer.from(namedFrame('message_stop', '{"type":"message_stop"}'));

/**
 * Reads usage from a stream of message events that pass through unchanged. Deltas, nearly all of a stream, are not parsed, except
 * for the first of a call's input; other events are parsed only if their bytes may contain figures or the end.
 */
export class PassThroughMessages implements MeteredStream {
  readonly #unread: UncountedEvents;
  readonly #model: string;
  readonly #chargedNano: PassThroughOptions['chargedNano'];
  readonly #completedUsage: PassThroughOptions['completedUsage'];
  readonly #figures = new MessageFigures();
  #searches = 0;
  /** Empty: the message has not stopped. */
  #stopReason = '';
  /** Of the message. */
  #id: unknown;
  #calls = 0;
  /** Inputs that have not begun or may be `null`, by the index of their block. */
  readonly #inputs = new Map<unknown, ArgumentPieces>();
  #events = 0;
  #textBytes = 0;

  constructor(
    bufferQuota: Quota,
    {
      model,
      chargedNano,
      completedUsage,
    }: Pick<PassThroughOptions, 'model' | 'chargedNano' | 'completedUsage'>,
  ) {
    this.#model = model;
    this.#chargedNano = chargedNano;
    this.#completedUsage = completedUsage;
    this.#unread = new UncountedEvents(bufferQuota, new MessageText());
  }

  /** A stream that is cut has not reported its searches. */
  get usage(): TokenUsage | undefined {
    const { usage } = this.#figures;
    return usage && withSearches(usage, this.#searches);
  }

  get isRefused(): boolean {
    return reportedStop(this.#stopReason) === 'refusal';
  }

  take(event: Buffer): PassThroughEvent {
    const looksWhole = endsLikeObject(event);
    const delta = event.indexOf(DELTA);
    if (delta !== -1) {
      if (this.#inputs.size > 0 && looksWhole && event.includes(INPUT_DELTA)) return this.#takeInput(event);
      // A signature is not output.
      if (!event.includes(SIGNATURE)) this.#keep(event, textBytesOf(event, delta + DELTA.length));
      if (looksWhole) return { kind: 'pass', bytes: event };
    } else if (event.includes(TOOL_USE)) return this.#takeCall(event);
    else if (event.includes(SERVER_TOOL_USE) && event.includes(BLOCK_START)) this.#beginServerCall(event);
    else if (this.#inputs.size > 0 && event.includes(BLOCK_STOP))
      this.#inputs.delete(parseData(event)?.index);
    const isTelling = isCalledError(event) || TELLING_MARKERS.some((bytes) => event.includes(bytes));
    return looksWhole && !isTelling ? { kind: 'pass', bytes: event } : this.#inspect(event);
  }

  end(): Buffer | undefined {
    return this.#stopReason !== '' ? END : undefined;
  }

  /** One token per event, or their text at four bytes per token; the frames of events differ by kind. */
  estimateOutput(): number {
    return Math.max(this.#events, Math.ceil(this.#textBytes / BYTES_PER_TOKEN));
  }

  countOutput(): number {
    return this.#unread.countOutput();
  }

  close(): void {
    this.#unread.close();
  }

  #keep(event: Buffer, textBytes: number): void {
    this.#unread.keep(event);
    this.#events++;
    this.#textBytes += textBytes;
  }

  /** Some models write `null` for no input, which is an object. */
  #takeInput(event: Buffer): PassThroughEvent {
    const data = parseData(event);
    const pieces = this.#inputs.get(data?.index);
    const delta = membersOf(data?.delta);
    const received = textOf(delta.partial_json);
    const shown = pieces?.add(received) ?? received;
    if (pieces?.isText) this.#inputs.delete(data?.index);
    if (shown === '' && received !== '') return { kind: 'hide' };
    const bytes = shown === received ? event : frameOf({ ...data, delta: { ...delta, partial_json: shown } });
    this.#keep(bytes, textBytesOf(bytes, bytes.indexOf(DELTA) + DELTA.length));
    return { kind: 'pass', bytes };
  }

  #takeCall(event: Buffer): PassThroughEvent {
    this.#keep(event, 0);
    const data = parseExactData(event);
    if (!data || !isToolUse(data.content_block)) return this.#inspect(event);
    this.#calls++;
    this.#inputs.set(data.index, new ArgumentPieces());
    const block = repairedToolUse(data.content_block, this.#id, Number(data.index));
    if (block === data.content_block) return { kind: 'pass', bytes: event };
    return { kind: 'pass', bytes: frameOf({ ...data, content_block: block }) };
  }

  #beginServerCall(event: Buffer): void {
    const { index, content_block: block } = parseData(event) ?? {};
    this.#inputs.set(index, new ArgumentPieces());
    if (isSearch(membersOf(block))) this.#searches++;
  }

  #inspect(event: Buffer): PassThroughEvent {
    const data = parseData(event);
    const { type, message, usage } = data ?? {};
    if (isErrorEvent(event, data)) return { kind: 'error' };
    if (!data && dataOf(event) !== '') throw new Error('provider sent an event that is not a JSON object');
    if (type === 'message_stop') return { kind: 'done', bytes: event };
    if (type === 'message_start') {
      const { id, content, usage: figures } = membersOf(message);
      this.#id = id;
      this.#calls += listOf(content).filter(isToolUse).length;
      this.#figures.add(figures);
      // Its callers know the model by another name than the provider does (`model-name-rewriter.ts`).
      return {
        kind: 'pass',
        bytes: frameOf({
          ...data,
          message: { ...withoutOperatorsCosts(membersOf(message)), model: this.#model },
        }),
      };
    }
    if (type === 'message_delta') {
      this.#figures.add(usage);
      this.#stopReason ||= textOf(membersOf(data?.delta).stop_reason);
      return { kind: 'pass', bytes: this.#ending(event, data ?? {}) };
    }
    return { kind: 'pass', bytes: event };
  }

  /**
   * Returns the event with the cost, and a stop reason that agrees with the content. The last figures replace all earlier ones for
   * clients, so that they have to be right.
   */
  #ending(event: Buffer, received: JsonObject): Buffer {
    const data = withoutOperatorsCosts(received);
    const { delta, usage } = data;
    const reason = membersOf(delta).stop_reason;
    const agreed = typeof reason === 'string' ? agreedReason(reason, this.#calls) : reason;
    const billed = this.#billedUsage(usage);
    if (data === received && agreed === reason && !billed) return event;
    return frameOf({
      ...data,
      ...(agreed !== reason && { delta: { ...membersOf(delta), stop_reason: agreed } }),
      ...(billed && { usage: { ...membersOf(usage), ...billed } }),
    });
  }

  /** Returns what the usage of an event lacks; undefined if it passes as it is. */
  #billedUsage(usage: unknown): object | undefined {
    const figures = this.usage;
    const isRight = figures && hasAllFigures(figures) && !repeatsLess(membersOf(usage), figures);
    const completed = isRight || this.#stopReason === '' ? undefined : this.#completedUsage?.();
    if (completed) return completed;
    return figures && isObject(usage) ? { cost: exactUsd(this.#chargedNano(figures)) } : undefined;
  }
}

const frameOf = (data: JsonObject): Buffer =>
  Buffer.from(namedFrame(textOf(data.type), JSON.stringify(data)));

/** Whether an event repeats the input with fewer tokens than are known. */
function repeatsLess(usage: JsonObject, known: TokenUsage): boolean {
  const repeated = fromMessagesUsage({ ...usage, output_tokens: undefined });
  return repeated !== undefined && inputTokensOf(repeated) < inputTokensOf(known);
}

/** Bytes of a delta from its own type on; none if it is written with spaces. */
function textBytesOf(event: Buffer, from: number): number {
  const type = event.indexOf(DELTA_TYPE_END, from);
  const start = type === -1 ? -1 : event.indexOf(TEXT_START, type + DELTA_TYPE_END.length);
  return start === -1 ? 0 : Math.max(0, event.length - start - TEXT_START.length - DELTA_END_BYTES);
}
