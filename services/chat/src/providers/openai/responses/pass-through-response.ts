import { type GatewayError, toResponseError } from '@gateway/errors';
import type { Quota } from '@gateway/quota';
import { type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import { ArgumentPieces } from '../../../domain/argument-pieces';
import type {
  MeteredStream,
  PassedReply,
  PassThroughEvent,
  PassThroughOptions,
} from '../../../domain/chat-provider';
import { hasAllFigures, ofTier, type TokenUsage } from '../../../domain/usage';
import { exactUsd } from '../../../json/exact-json';
import { isErrorEvent } from '../../../sse/error-event';
import { namedFrame } from '../../../sse/named-frame';
import { dataOf, endsLikeObject, isDoneMarker, parseExactData } from '../../../sse/sse-data';
import { UncountedEvents } from '../../uncounted-events';
import { serviceTierOf } from '../openai-usage';
import { PassedResponse, withArguments } from './passed-response';
import { ResponseText } from './response-text';
import { fromResponseUsage, isSearch } from './response-usage';

/** A quote inside a JSON string is escaped, so these bytes are never a model's text. */
const TYPE = Buffer.from('"type":"response.');
const ITEM_ID = Buffer.from('"item_id":"');
const DELTA = Buffer.from('"delta":"');
const STRING_END = Buffer.from('"');
const NEXT_MEMBER = Buffer.from('","');
const SEQUENCE = /"sequence_number":\s*(\d+)/;
const BYTES_PER_TOKEN = 4;
const ARGUMENTS_DELTA = 'function_call_arguments.delta';
/** Far more than a response has. */
const MAX_ITEMS = 10_000;

/** Events with a response, an item or complete arguments, which may be rewritten. */
const PARSED: ReadonlySet<string> = new Set([
  'created',
  'queued',
  'in_progress',
  'output_item.added',
  'output_item.done',
  'function_call_arguments.done',
  'completed',
  'incomplete',
  'failed',
]);

export interface PassThroughResponseOptions
  extends Pick<PassThroughOptions, 'chargedNano' | 'completedUsage'> {
  readonly to: PassedReply;
  /** To which encrypted content is tied. */
  readonly account: string;
  readonly bufferQuota: Quota;
}

/**
 * Reads usage from a stream of response events that pass through. Deltas, nearly all of a stream, are not parsed: only the
 * ids of their items are replaced. The first ones of a call's arguments are, because they are held back while they may be `null`.
 */
export class PassThroughResponse implements MeteredStream {
  readonly #options: PassThroughResponseOptions;
  readonly #passed: PassedResponse;
  readonly #unread: UncountedEvents;
  /** Ids of the items by those of the provider. */
  readonly #ids = new Map<string, Buffer>();
  /** Arguments of which nothing has passed, by the index of their call. */
  readonly #held = new Map<unknown, ArgumentPieces>();
  /** Complete items as they were received, by their index. */
  readonly #items: JsonObject[] = [];
  /** The response as it was created. */
  #created: JsonObject | undefined;
  #last: Buffer | undefined;
  #usage: TokenUsage | undefined;
  #serviceTier: string | undefined;
  #searches = 0;
  #isRefused = false;
  #deltas = 0;
  #textBytes = 0;

  constructor(options: PassThroughResponseOptions) {
    this.#options = options;
    this.#passed = new PassedResponse(options.to, options.account);
    this.#unread = new UncountedEvents(options.bufferQuota, new ResponseText());
  }

  get usage(): TokenUsage | undefined {
    return this.#usage;
  }

  get searches(): number {
    return this.#searches;
  }

  get isRefused(): boolean {
    return this.#isRefused;
  }

  get serviceTier(): string | undefined {
    return this.#serviceTier;
  }

  take(event: Buffer): PassThroughEvent {
    const type = typeOf(event);
    if (type === undefined || PARSED.has(type) || !endsLikeObject(event)) return this.#inspect(event);
    if (type === ARGUMENTS_DELTA && this.#held.size > 0) return this.#inspect(event);
    return this.#passNamed(event);
  }

  errorFrame(failure: GatewayError): string | undefined {
    if (!this.#created) return undefined;
    const response = {
      ...this.#created,
      ...{ status: 'failed', store: false, error: toResponseError(failure) },
    };
    const data = { type: 'response.failed', sequence_number: this.#nextNumber(), response };
    return namedFrame('response.failed', JSON.stringify(data));
  }

  /** One token per event, or their text at four bytes per token; the frames of events differ by kind. */
  estimateOutput(): number {
    return Math.max(this.#deltas, Math.ceil(this.#textBytes / BYTES_PER_TOKEN));
  }

  countOutput(): number {
    return this.#unread.countOutput();
  }

  close(): void {
    this.#unread.close();
  }

  /** Returns the number that follows that of the last event that has passed. */
  #nextNumber(): number {
    const [, sequence = '-1'] = SEQUENCE.exec(this.#last?.toString('utf8') ?? '') ?? [];
    return Number(sequence) + 1;
  }

  #passNamed(event: Buffer): PassThroughEvent {
    const start = event.indexOf(DELTA);
    if (start !== -1) {
      this.#unread.keep(event);
      this.#deltas++;
      this.#textBytes += textBytesOf(event, start + DELTA.length);
    }
    return this.#pass(this.#named(event));
  }

  #pass(bytes: Buffer): PassThroughEvent {
    this.#last = bytes;
    return { kind: 'pass', bytes };
  }

  #inspect(event: Buffer): PassThroughEvent {
    const data = parseExactData(event);
    if (isErrorEvent(event, data) || data?.type === 'response.failed') return { kind: 'error' };
    if (!data) {
      const text = dataOf(event);
      if (text !== '' && !isDoneMarker(text))
        throw new Error('provider sent an event that is not a JSON object');
      return { kind: 'hide' };
    }
    const type = textOf(data.type);
    if (!type.startsWith('response.')) return { kind: 'hide' };
    switch (type.slice('response.'.length)) {
      case 'created':
      case 'queued':
      case 'in_progress': {
        const response = this.#passed.response(membersOf(data.response));
        this.#created ??= response;
        return this.#pass(frameOf(type, { ...data, response }));
      }
      case 'output_item.added':
      case 'output_item.done': {
        const item = this.#takeItem(data, event);
        const rest = type.endsWith('done') ? this.#restOf(data, item) : undefined;
        return this.#passAfter(rest, frameOf(type, { ...data, item }));
      }
      case ARGUMENTS_DELTA:
        return this.#takeArguments(data, event);
      case 'function_call_arguments.done': {
        const repaired = withArguments(data);
        const end = this.#named(repaired === data ? event : frameOf(type, repaired));
        return this.#passAfter(this.#restOf(data, repaired), end);
      }
      case 'completed':
      case 'incomplete':
        return this.#end(type, data);
      default:
        // Written with spaces, as no official server does.
        return this.#passNamed(frameOf(type, data));
    }
  }

  #takeArguments(data: JsonObject, event: Buffer): PassThroughEvent {
    const held = this.#held.get(data.output_index);
    if (!held) return this.#passNamed(event);
    const delta = held.add(textOf(data.delta));
    if (delta === '') return { kind: 'hide' };
    this.#held.delete(data.output_index);
    return this.#passNamed(delta === data.delta ? event : frameOf(textOf(data.type), { ...data, delta }));
  }

  /**
   * Returns an event with the whole arguments of a call if none have passed; undefined if it is no call, or some have.
   * @param ended the event that ends the arguments or the item @param holder of the arguments
   */
  #restOf(ended: JsonObject, { arguments: delta, id }: JsonObject): Buffer | undefined {
    const { output_index: at, item_id = id } = ended;
    if (!this.#held.delete(at)) return undefined;
    const type = `response.${ARGUMENTS_DELTA}`;
    // Those of the pieces may be lower than that of another call's event, which has passed meanwhile.
    const number = 'sequence_number' in ended && { sequence_number: this.#nextNumber() };
    return frameOf(type, { type, item_id, output_index: at, delta, ...number });
  }

  #passAfter(rest: Buffer | undefined, bytes: Buffer): PassThroughEvent {
    const before = rest && this.#passNamed(rest);
    const passed = this.#pass(bytes);
    return before?.kind === 'pass' ? { kind: 'pass', bytes: Buffer.concat([before.bytes, bytes]) } : passed;
  }

  #takeItem({ type, item: received, output_index: at }: JsonObject, event: Buffer): JsonObject {
    const item = membersOf(received);
    const index = typeof at === 'number' && at >= 0 && at < MAX_ITEMS ? at : this.#ids.size;
    const id = textOf(item.id);
    this.#ids.set(id, Buffer.from(this.#passed.itemId(id, index)));
    if (type === 'response.output_item.added') {
      if (textOf(item.name) !== '') this.#unread.keep(event);
      if (item.type !== 'function_call') return this.#passed.item(item, index);
      this.#held.set(at, new ArgumentPieces());
      // Some servers send them here too, and clients add their pieces.
      return this.#passed.item({ ...item, arguments: '' }, index);
    }
    this.#items[index] = item;
    if (isSearch(item)) this.#searches++;
    return this.#passed.completeItem(item, index);
  }

  #end(type: string, data: JsonObject): PassThroughEvent {
    const received = this.#withItems(membersOf(data.response));
    this.#usage = fromResponseUsage(received);
    this.#serviceTier = serviceTierOf(received);
    this.#isRefused = membersOf(received.incomplete_details).reason === 'content_filter';
    const response = this.#passed.response(received);
    const completed = hasAllFigures(this.#usage) ? undefined : this.#options.completedUsage?.();
    if (completed) Object.assign(response, { usage: completed });
    else if (this.#usage) {
      const cost = exactUsd(this.#options.chargedNano(ofTier(this.#usage, this.#serviceTier)));
      Object.assign(response, { usage: { ...membersOf(response.usage), cost } });
    }
    return { kind: 'done', bytes: frameOf(type, { ...data, response }) };
  }

  /** Some servers end with a response that lacks the items that they have sent. */
  #withItems(response: JsonObject): JsonObject {
    const items = this.#items.filter((item) => item !== undefined);
    return items.length > listOf(response.output).length ? { ...response, output: items } : response;
  }

  /** Returns the event with our id of its item. */
  #named(event: Buffer): Buffer {
    const key = event.indexOf(ITEM_ID);
    if (key === -1) return event;
    const start = key + ITEM_ID.length;
    const end = event.indexOf(STRING_END, start);
    const id = this.#ids.get(event.toString('latin1', start, end));
    return id ? Buffer.concat([event.subarray(0, start), id, event.subarray(end)]) : event;
  }
}

/** Returns the type of an event after `response.`; undefined if the bytes do not show it. */
function typeOf(event: Buffer): string | undefined {
  const key = event.indexOf(TYPE);
  if (key === -1) return undefined;
  const start = key + TYPE.length;
  return event.toString('latin1', start, event.indexOf(STRING_END, start));
}

function textBytesOf(event: Buffer, start: number): number {
  const end = event.indexOf(NEXT_MEMBER, start);
  return Math.max(0, (end === -1 ? event.length - '"}\n\n'.length : end) - start);
}

const frameOf = (type: string, data: object): Buffer => Buffer.from(namedFrame(type, JSON.stringify(data)));
