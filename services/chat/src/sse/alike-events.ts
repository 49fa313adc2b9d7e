import type { ReplyEvent, StreamReader } from '../domain/reply';
import type { TokenUsage } from '../domain/usage';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** What cannot stand in a JSON string as it is, but for the quote. */
const ESCAPED = /[\\\p{Cc}]/u;
/** Some providers' events differ in their figures, or in what pads them: to look at those again and again is a loss. */
const MAX_MISSES = 8;

/** What stands before and behind the text of an event. */
interface Frame {
  readonly head: Buffer;
  /** From the quote that ends the text. */
  readonly tail: Buffer;
  readonly kind: 'text' | 'thinking';
}

/**
 * Most events of a stream are the one before with another text. Such an event is not parsed: what was read of the one
 * before, which was only its text, holds for it too. Parsing each was the dearest part of translating a stream.
 */
export class AlikeEvents implements StreamReader {
  readonly #reader: StreamReader;
  /** Of the last event that was parsed, if it said nothing but a text. */
  #frame: Frame | undefined;
  #misses = 0;

  /** @param reader to which nothing changes when it reads the same event again with another text */
  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  get usage(): TokenUsage | undefined {
    return this.#reader.usage;
  }

  get ended(): boolean {
    return this.#reader.ended;
  }

  read(event: Buffer): readonly ReplyEvent[] {
    const text = this.#frame && textWithin(this.#frame, event);
    if (text !== undefined) {
      this.#misses = 0;
      return [{ kind: this.#frame!.kind, text }];
    }
    if (this.#frame) this.#misses++;
    this.#frame = undefined;
    const events = this.#reader.read(event);
    if (events.length === 1 && this.#misses < MAX_MISSES) this.#frame = frameOf(event, events[0]!);
    return events;
  }
}

/** Undefined when the event is another, or its text is not plain. */
function textWithin({ head, tail }: Frame, event: Buffer): string | undefined {
  const from = head.length;
  const to = event.indexOf(QUOTE, from);
  if (to <= from || event.length - to !== tail.length) return undefined;
  if (head.compare(event, 0, from) !== 0 || tail.compare(event, to) !== 0) return undefined;
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
  return {
    kind: said.kind,
    head: Buffer.from(event.subarray(0, at + 1)),
    tail: Buffer.from(event.subarray(at + json.length - 1)),
  };
}
