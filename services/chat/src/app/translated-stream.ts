import type { PassedEvent, PassedStream } from '../domain/chat-provider';
import type { ReplyEvent, StreamReader, StreamWriter } from '../domain/reply';
import { ReplyText } from '../domain/reply-text';
import type { TokenUsage } from '../domain/usage';

const HIDE: PassedEvent = { kind: 'hide' };

/** A stream on its way from a provider's format into the caller's. */
export class TranslatedStream implements PassedStream {
  readonly #reader: StreamReader;
  readonly #writer: StreamWriter;
  readonly #countedUsage: () => TokenUsage;
  readonly #text = new ReplyText();
  #begun = false;

  /** @param countedUsage for the caller, of a provider that gave no figures */
  constructor(reader: StreamReader, writer: StreamWriter, countedUsage: () => TokenUsage) {
    this.#reader = reader;
    this.#writer = writer;
    this.#countedUsage = countedUsage;
  }

  get usage(): TokenUsage | undefined {
    return this.#reader.usage;
  }

  /** @throws Error when the provider broke off */
  take(event: Buffer): PassedEvent {
    const events = this.#reader.read(event);
    this.#text.addEvents(events);
    const written = events.length > 0 ? this.#write(events) : '';
    if (this.#reader.ended) {
      return {
        kind: 'done',
        bytes: Buffer.from(written + this.#writer.end(this.usage ?? this.#countedUsage())),
      };
    }
    return written === '' ? HIDE : { kind: 'pass', bytes: Buffer.from(written) };
  }

  /** What the provider has told by now is for the beginning: later it would be read for nobody. */
  #write(events: readonly ReplyEvent[]): string {
    const told = this.#begun ? undefined : this.usage;
    this.#begun = true;
    return this.#writer.write(events, told);
  }

  estimateOutput(): number {
    return this.#text.estimate();
  }

  countOutput(): number {
    return this.#text.count();
  }

  close(): void {}
}
