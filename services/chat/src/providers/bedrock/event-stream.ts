import { membersOf, textOf } from '@gateway/upstream';
import { EventStreamCodec, type Message } from '@smithy/core/event-streams';
import { namedFrame } from '../../sse/named-frame';

/** Far larger than any message of a chat stream. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const LENGTH_BYTES = 4;
/** The length of the message and of its headers, and two checksums. */
const MIN_MESSAGE_BYTES = 16;
const NAME = /^[A-Za-z]{1,64}$/;
const LINE_ENDS = /[\r\n]+/g;

/** HTTP statuses of exceptions (API reference, Converse and ConverseStream). */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['validationException', 400],
  ['accessDeniedException', 403],
  ['resourceNotFoundException', 404],
  ['modelTimeoutException', 408],
  ['modelStreamErrorException', 424],
  ['modelErrorException', 424],
  ['throttlingException', 429],
  ['modelNotReadyException', 429],
  ['internalServerException', 500],
  ['serviceUnavailableException', 503],
]);

/**
 * Converts a stream in AWS's framing (`application/vnd.amazon.eventstream`) into server-sent events: a message of type `event`
 * becomes `event: <type>` with the data `{"<type>": <payload>}`, as the SDK represents it; an exception becomes an event
 * `error`. Empty pieces, which stand for silence, stay.
 * Written without a generator, which could not be closed while it waits for the next piece.
 * @throws Error for a message that is too large, cut or garbled
 */
export function toServerSentEvents(body: AsyncIterable<Buffer>): AsyncIterableIterator<Buffer> {
  return new EventConverter(body[Symbol.asyncIterator]());
}

class EventConverter implements AsyncIterableIterator<Buffer> {
  readonly #pieces: AsyncIterator<Buffer>;
  readonly #splitter = new MessageSplitter();
  /** Thrown once the events before it have been passed on. */
  #failure: Error | undefined;

  constructor(pieces: AsyncIterator<Buffer>) {
    this.#pieces = pieces;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer>> {
    for (;;) {
      if (this.#failure) throw await this.#broken(this.#failure);
      const { value: piece, done } = await this.#pieces.next();
      if (done) {
        if (this.#splitter.isWithinMessage) throw new Error('event stream ends within a message');
        return { value: undefined, done: true };
      }
      const events = this.#convert(piece);
      if (events.length > 0 || piece.length === 0) return { value: Buffer.concat(events), done: false };
    }
  }

  return(): Promise<IteratorResult<Buffer>> {
    return this.#pieces.return?.() ?? Promise.resolve({ value: undefined, done: true });
  }

  #convert(piece: Buffer): Buffer[] {
    const events: Buffer[] = [];
    try {
      for (const message of this.#splitter.push(piece)) events.push(toServerSentEvent(message));
    } catch (error) {
      this.#failure = error as Error;
    }
    return events;
  }

  /** Closes the connection: a loop over this iterator does not close one that throws. */
  async #broken(failure: Error): Promise<Error> {
    await this.#pieces.return?.();
    return failure;
  }
}

/** Splits a stream at the boundaries of its messages, whatever the pieces. */
class MessageSplitter {
  readonly #codec = new EventStreamCodec(
    (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
    (text) => Buffer.from(text, 'utf8'),
  );
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Bytes without which the next message is not complete. */
  #needed = LENGTH_BYTES;

  get isWithinMessage(): boolean {
    return this.#bytes > 0;
  }

  /** Yields the messages that the piece completes. @throws Error for a wrong length, checksum or header */
  *push(piece: Buffer): Generator<Message> {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes < this.#needed) return;
    const all = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces);
    let start = 0;
    for (;;) {
      this.#needed = neededBytes(all, start);
      const end = start + this.#needed;
      if (end > all.length) break;
      yield this.#codec.decode(all.subarray(start, end));
      start = end;
    }
    const rest = all.subarray(start);
    this.#pieces = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
  }
}

/** Returns the length of the message that starts there, or that of its length while it is not complete. */
function neededBytes(bytes: Buffer, start: number): number {
  if (bytes.length - start < LENGTH_BYTES) return LENGTH_BYTES;
  const length = bytes.readUInt32BE(start);
  if (length < MIN_MESSAGE_BYTES || length > MAX_MESSAGE_BYTES) {
    throw new Error('event stream message has an impossible length');
  }
  return length;
}

function toServerSentEvent({ headers, body }: Message): Buffer {
  const header = (name: string) => textOf(headers[name]?.value);
  const payload = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  switch (header(':message-type')) {
    case 'event': {
      const type = header(':event-type');
      if (!NAME.test(type)) throw new Error('event stream message has no type');
      return Buffer.from(namedFrame(type, `{"${type}":${onOneLine(payload)}}`));
    }
    case 'exception':
      return errorEvent(header(':exception-type'), parseObject(payload).message);
    case 'error':
      return errorEvent(header(':error-code'), header(':error-message'));
    default:
      throw new Error('event stream message is of no known kind');
  }
}

/** An unknown exception is treated as a failure of the service. */
function errorEvent(type: string, message: unknown): Buffer {
  const error = { type, status: STATUSES.get(type) ?? 500 };
  return Buffer.from(namedFrame('error', JSON.stringify({ error, message: textOf(message) })));
}

/** In JSON a line end can only be white space between tokens. */
function onOneLine(json: string): string {
  if (json === '') return '{}';
  return json.includes('\n') || json.includes('\r') ? json.replace(LINE_ENDS, ' ') : json;
}

function parseObject(json: string): Record<string, unknown> {
  try {
    return membersOf(JSON.parse(json));
  } catch {
    return {};
  }
}
