import type { ReplyEvent, StreamReader } from '../domain/reply';
import type { TokenUsage } from '../domain/usage';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;
/** What the names of all formats' figures begin with; a quote inside a JSON string is escaped, so this is no text. */
const FIGURES = Buffer.from('"usage');
/** What cannot stand in a JSON string as it is, but for the quote. */
const ESCAPED = /[\\\p{Cc}]/u;
/** Some providers' events differ in what pads them: to look at those again and again is a loss. */
const MAX_MISSES = 8;

/** What stands before and behind the text of an event. */
interface Frame {
  readonly head: Buffer;
  /** From the quote that ends the text. */
  readonly tail: Buffer;
  /** In the tail, what tells the usage; its length where there is none. */
  readonly figuresAt: number;
  readonly kind: 'text' | 'thinking';
}

/**
 * Most events of a stream are the one before with another text, and with other figures where each tells the usage so
 * far. Such an event is not parsed: what was read of the one before, which was only its text, holds for it too, and
 * its figures are read when somebody asks for them. Parsing each was the dearest part of translating a stream.
 */
export class TemplateEventReader implements StreamReader {
  readonly #reader: StreamReader;
  /** Of the last event that was parsed, if it said nothing but a text. */
  #frame: Frame | undefined;
  #misses = 0;
  /** The last event, if its figures are new. */
  #unread: Buffer | undefined;

  /** @param reader to which nothing but its usage changes when it reads such an event */
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
    // This one may tell none.
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

/** Undefined when the event is another, or its text is not plain. */
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

/** Undefined unless the text stands there as it is and nowhere else: only then it is known which part is the text. */
function frameOf(event: Buffer, said: ReplyEvent): Frame | undefined {
  if (said.kind !== 'text' && said.kind !== 'thinking') return undefined;
  const json = Buffer.from(`"${said.text}"`);
  const at = event.indexOf(json);
  if (at === -1 || event.indexOf(json, at + 1) !== -1 || event.includes(BACKSLASH)) return undefined;
  // Copies, because a view of it would keep all that came with it.
  const tail = Buffer.from(event.subarray(at + json.length - 1));
  const figures = tail.indexOf(FIGURES);
  return {
    kind: said.kind,
    head: Buffer.from(event.subarray(0, at + 1)),
    tail,
    figuresAt: figures === -1 ? tail.length : figures,
  };
}

/** Whether both are the same to their ends but for digits of numbers. */
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

/** Past the number that begins there; `at` where there is none, or where it begins with a zero, which few may. */
function numberEnd(bytes: Buffer, at: number): number {
  if (bytes[at] === ZERO) return at;
  let end = at;
  while (isDigit(bytes[end])) end++;
  return end;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}
