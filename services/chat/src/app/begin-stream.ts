import type { HttpResponse } from '@gateway/http-client';
import { type JsonObject, SseSplitter, UpstreamError } from '@gateway/upstream';
import type { ChatProvider, OpeningEvent } from '../domain/chat-provider';
import type { ApiFormat } from '../domain/conversation';
import { parseExactObject } from '../json/exact-json';
import { statusOfErrorEvent } from '../providers/error-event-status';
import { failureInBody } from '../providers/refusal';
import { isErrorEvent } from '../sse/error-event';
import { dataOf, isDoneMarker, parseData } from '../sse/sse-data';
import { resumed } from './resumed';
import { within } from './within';

/** Bytes buffered at most; beyond that the response is committed. */
const MAX_BUFFERED_BYTES = 64 * 1024;
/** The first two events of a response repeat the caller's instructions and tools. */
const MAX_BUFFERED_RESPONSE_BYTES = 1024 * 1024;
/** Their streams end with `[DONE]`. */
const DONE_FORMATS: ReadonlySet<ApiFormat> = new Set(['openai', 'completions']);
const ENDS_BUFFERING: ReadonlySet<OpeningEvent> = new Set(['content', 'ended']);

/** Times are values of `performance.now()`. */
export interface StreamOpening {
  readonly provider: Pick<ChatProvider, 'wire' | 'isReply' | 'framing' | 'readOpening' | 'refusalOf'>;
  /** Of the response. */
  readonly headers: HttpResponse['headers'];
  /** Deadline for the first event; comments don't count. */
  readonly beginByMs: number;
  /** Until then, events without content are buffered. */
  readonly bufferUntilMs: number;
  /** Aborted when the client has disconnected. */
  readonly caller: AbortSignal;
}

/**
 * Waits for a stream's first content, so that a provider that fails earlier is handled like any other failure: by another
 * target, or with an error status. Returns the reply's bytes from its first event on; earlier comments are dropped, they
 * only kept the connection open. Returns without content when the reply is complete, when the events have been buffered
 * long enough, and when the client has disconnected: the usage is billed as for any call.
 * @throws UpstreamError for an error event that names its status; Error when the stream ends first, takes too long or
 * contains something other than events of its format
 */
export async function beginStream(
  body: AsyncIterable<Buffer>,
  opening: StreamOpening,
): Promise<AsyncIterable<Buffer>> {
  const pieces = body[Symbol.asyncIterator]();
  try {
    return await bufferUntilContent(pieces, opening);
  } catch (error) {
    await pieces.return?.();
    throw error;
  }
}

async function bufferUntilContent(
  pieces: AsyncIterator<Buffer>,
  opening: StreamOpening,
): Promise<AsyncIterable<Buffer>> {
  const { beginByMs, bufferUntilMs, caller } = opening;
  const buffered = new BufferedEvents(opening);
  for (;;) {
    const next = pieces.next();
    const byMs = buffered.begun ? bufferUntilMs : beginByMs;
    const isSettled = await within(settled(next), Math.max(0, byMs - performance.now()));
    if (buffered.begun && (!isSettled || caller.aborted)) return resumed(buffered.bytes, pieces, next);
    if (!isSettled) throw new Error('stream did not begin in time');
    const piece = await next;
    const isOver = piece.done ? buffered.end() : buffered.push(piece.value);
    if (isOver) return resumed(buffered.bytes, pieces);
  }
}

const settled = (promise: Promise<unknown>): Promise<true> =>
  promise.then(
    () => true,
    () => true,
  );

/** The events of a stream up to its first content. */
class BufferedEvents {
  readonly #provider: StreamOpening['provider'];
  readonly #headers: StreamOpening['headers'];
  readonly #splitter = new SseSplitter();
  #events: Buffer[] = [];
  #eventBytes = 0;
  #isFinished = false;
  /** A complete reply, as the events of a stream. */
  #whole: Buffer | undefined;

  constructor({ provider, headers }: Pick<StreamOpening, 'provider' | 'headers'>) {
    this.#provider = provider;
    this.#headers = headers;
  }

  /** An event other than a comment has arrived. */
  get begun(): boolean {
    return this.#events.length > 0;
  }

  /** Includes the beginning of an incomplete event. */
  get bytes(): Buffer {
    return this.#whole ?? Buffer.concat([...this.#events, this.#splitter.rest]);
  }

  /** Returns whether buffering is over. */
  push(bytes: Buffer): boolean {
    let isOver = false;
    for (const event of this.#splitter.push(bytes)) {
      isOver ||= ENDS_BUFFERING.has(this.#read(event));
      if (isOver || this.begun || dataOf(event) !== '') this.#keep(event);
    }
    const most = this.#provider.wire === 'responses' ? MAX_BUFFERED_RESPONSE_BYTES : MAX_BUFFERED_BYTES;
    return isOver || this.#eventBytes > most;
  }

  /**
   * Handles the clean end of the connection. Returns true when the reply is complete: some providers omit the blank line after
   * the last event, others the last event after the finish reason.
   */
  end(): boolean {
    if (this.#splitter.end().some((event) => this.#read(event) === 'ended')) return true;
    if (this.#isFinished) return true;
    // An error without the framing of a stream.
    const body = this.begun ? undefined : parseExactObject(this.#splitter.rest.toString('utf8'));
    if (body && this.#isReply(body)) return true;
    if (body) throw this.#failure(body);
    throw new Error(
      this.begun ? 'stream ended before its first content' : 'stream ended before its first event',
    );
  }

  /** Some servers ignore `stream`. */
  #isReply(body: JsonObject): boolean {
    const { framing, isReply } = this.#provider;
    if (!framing || !isReply(body)) return false;
    const whole = framing.toStream(body);
    const events = new SseSplitter().push(whole).filter((event) => !isDoneMarker(dataOf(event)));
    // A reply that failed is a failure before the first content, as in a stream.
    if (events.map((event) => this.#read(event)).every((read) => read === 'waiting'))
      throw new Error('reply without content or a finish reason');
    this.#whole = whole;
    return true;
  }

  #keep(event: Buffer): void {
    this.#events.push(event);
    this.#eventBytes += event.length;
  }

  #read(event: Buffer): OpeningEvent {
    const data = dataOf(event);
    if (data === '') return 'waiting';
    const { wire } = this.#provider;
    if (isDoneMarker(data) && DONE_FORMATS.has(wire) && this.begun) return 'ended';
    const chunk = parseData(event);
    if (isErrorEvent(event, chunk)) throw this.#failure(chunk ?? {});
    if (!chunk) throw new Error('stream begins with an event that is not a JSON object');
    const read = this.#provider.readOpening(chunk);
    this.#isFinished ||= read === 'finished';
    return read;
  }

  #failure(body: Readonly<Record<string, unknown>>): Error {
    const failure =
      statusOfErrorEvent(body) === undefined ? undefined : failureInBody(this.#provider, body, this.#headers);
    return failure ? new UpstreamError(failure) : new Error('stream begins with an error event');
  }
}
