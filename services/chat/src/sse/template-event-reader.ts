import type { ReplyEvent, StreamReader } from '../domain/reply';
import type { TokenUsage } from '../domain/usage';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;
/** Common prefix of all formats' usage members; quotes within JSON strings are escaped, so this is never text. */
const FIGURES = Buffer.from('"usage');
/** Characters that cannot appear unescaped in a JSON string, except the quote. */
const ESCAPED = /[\\\p{Cc}]/u;
/** Some providers pad events with varying text; comparing those repeatedly is a loss. */
const MAX_MISSES = 8;

/** What precedes and follows the text of an event. */
interface Frame {
  readonly head: Buffer;
  /** From the quote that ends the text. */
  readonly tail: Buffer;
  /** Start of the usage in the tail; the tail's length if there is none. */
  readonly figuresAt: number;
  readonly kind: 'text' | 'thinking';
}

/**
 * Most events of a stream equal the previous one except for the text and, where every event reports usage, the figures.
 * Such an event is not parsed: what was read from the previous one, which was only its text, applies to it too, and its
 * figures are read on demand. Parsing every event was the most expensive part of translating a stream.
 */
export class TemplateEventReader implements StreamReader {
  readonly #reader: StreamReader;
  /** From the last event that was parsed, if it contained only text. */
  #frame: Frame | undefined;
  #misses = 0;
  /** The last event, if its figures have not been read. */
  #unread: Buffer | undefined;

  /** @param reader its state, apart from the usage, must not change when it reads such an event */
  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  get usage(): TokenUsage | undefined {
    this.#readFigures();
    return this.#reader.usage;
  }

  get ended(): boolean {
    return this.#reader.ended;
  }

  read(event: Buffer): readonly ReplyEvent[] {
    const frame = this.#frame;
    const text = frame && textWithin(frame, event);
    if (text !== undefined) {
      this.#misses = 0;
      if (frame!.figuresAt < frame!.tail.length) this.#unread = event;
      return [{ kind: frame!.kind, text }];
    }
    if (frame) this.#misses++;
    this.#frame = undefined;
    // This event may contain no usage.
    this.#readFigures();
    const events = this.#reader.read(event);
    if (events.length === 1 && this.#misses < MAX_MISSES) this.#frame = frameOf(event, events[0]!);
    return events;
  }

  #readFigures(): void {
    const event = this.#unread;
    this.#unread = undefined;
    if (event) this.#reader.read(event);
  }
}

/** Undefined when the event does not match, or its text contains escapes. */
function textWithin({ head, tail, figuresAt }: Frame, event: Buffer): string | undefined {
  const from = head.length;
  const to = event.indexOf(QUOTE, from);
  const figures = to + figuresAt;
  if (to <= from || figures > event.length) return undefined;
  if (head.compare(event, 0, from) !== 0 || tail.compare(event, to, figures, 0, figuresAt) !== 0)
    return undefined;
  if (!differOnlyInNumbers(tail, figuresAt, event, figures)) return undefined;
  const text = event.toString('utf8', from, to);
  return ESCAPED.test(text) ? undefined : text;
}

/** Undefined unless the text occurs exactly once and unescaped: only then its position is certain. */
function frameOf(event: Buffer, said: ReplyEvent): Frame | undefined {
  if (said.kind !== 'text' && said.kind !== 'thinking') return undefined;
  const json = Buffer.from(`"${said.text}"`);
  const at = event.indexOf(json);
  if (at === -1 || event.indexOf(json, at + 1) !== -1 || event.includes(BACKSLASH)) return undefined;
  // Copied, because a view would retain the whole receive buffer.
  const tail = Buffer.from(event.subarray(at + json.length - 1));
  const figures = tail.indexOf(FIGURES);
  return {
    kind: said.kind,
    head: Buffer.from(event.subarray(0, at + 1)),
    tail,
    figuresAt: figures === -1 ? tail.length : figures,
  };
}

/** Whether both are equal except for digits of numbers. */
function differOnlyInNumbers(one: Buffer, oneFrom: number, other: Buffer, otherFrom: number): boolean {
  let at = oneFrom;
  let otherAt = otherFrom;
  let passed = at;
  for (;;) {
    while (at < one.length && one[at] === other[otherAt]) {
      at++;
      otherAt++;
    }
    if (at === one.length) return otherAt === other.length;
    while (at > passed && isDigit(one[at - 1])) {
      at--;
      otherAt--;
    }
    const end = numberEnd(one, at);
    const otherEnd = numberEnd(other, otherAt);
    if (end === at || otherEnd === otherAt) return false;
    at = end;
    passed = end;
    otherAt = otherEnd;
  }
}

/** Returns the index after the number that starts at `at`; `at` itself without a number, or for one that starts with zero. */
function numberEnd(bytes: Buffer, at: number): number {
  if (bytes[at] === ZERO) return at;
  let end = at;
  while (isDigit(bytes[end])) end++;
  return end;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}
