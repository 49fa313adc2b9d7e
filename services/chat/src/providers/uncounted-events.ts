import type { Quota } from '@gateway/quota';
import { TokenCounter } from '../domain/token-count';

/** Extracts the text from a format's events. */
export interface TextReader {
  read(event: Buffer): void;
  /** The texts read so far; pieces of one text are joined, because tokens cross their boundaries. */
  readonly texts: Iterable<string>;
}

/** Size of the kept events below which reading them early saves too little memory. */
const MIN_READ_BYTES = 64 * 1024;
const CHARS_PER_TOKEN = 4;

/** Keeps the events of a stream, to be read only if their text has to be counted or memory is short. */
export class UncountedEvents {
  readonly #memory: Quota;
  readonly #reader: TextReader;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #reservedBytes = 0;
  #events = 0;
  #eventBytes = 0;
  #leastEventBytes = Number.POSITIVE_INFINITY;

  constructor(memory: Quota, reader: TextReader) {
    this.#memory = memory;
    this.#reader = reader;
  }

  keep(event: Buffer): void {
    this.#events++;
    this.#eventBytes += event.length;
    if (event.length < this.#leastEventBytes) this.#leastEventBytes = event.length;
    this.#unread.push(event);
    this.#unreadBytes += event.length;
    const isReserved = !this.#memory.acquire(undefined, event.length);
    if (isReserved) this.#reservedBytes += event.length;
    else if (this.#unreadBytes > MIN_READ_BYTES) this.#read();
  }

  /**
   * Estimates the output tokens that have passed: one per event, or one per four characters of the bytes by which the events
   * exceed the shortest one.
   */
  estimateOutput(): number {
    if (this.#events === 0) return 0;
    const textBytes = this.#eventBytes - this.#events * this.#leastEventBytes;
    return Math.max(this.#events, Math.ceil(textBytes / CHARS_PER_TOKEN));
  }

  /** Counts the output tokens of the text that has passed. */
  countOutput(): number {
    try {
      this.#read();
    } catch {
      // The text is too large to be joined.
      return this.estimateOutput();
    }
    const counter = new TokenCounter();
    for (const text of this.#reader.texts) counter.addText(text);
    return counter.tokens;
  }

  /** Releases the events and their memory. */
  close(): void {
    this.#memory.release(undefined, this.#reservedBytes);
    this.#reservedBytes = 0;
    this.#unread = [];
    this.#unreadBytes = 0;
  }

  #read(): void {
    for (const event of this.#unread) this.#reader.read(event);
    this.close();
  }
}
