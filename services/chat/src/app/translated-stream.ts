import type { GatewayError } from '@gateway/errors';
import type { MeteredStream, PassThroughEvent } from '../domain/chat-provider';
import type { ReplyEvent, StreamReader, StreamWriter } from '../domain/reply';
import { ReplyText } from '../domain/reply-text';
import type { TokenUsage } from '../domain/usage';

const HIDE: PassThroughEvent = { kind: 'hide' };

/** A stream that is translated from the provider's format to the client's. */
export class TranslatedStream implements MeteredStream {
  readonly #reader: StreamReader;
  readonly #writer: StreamWriter;
  readonly #countedUsage: () => TokenUsage;
  readonly #chargedNano: (usage: TokenUsage) => bigint;
  readonly #text = new ReplyText();
  #begun = false;

  /**
   * @param countedUsage usage for the client if the provider reports none
   * @param chargedNano returns what the account is charged for the usage
   */
  constructor(
    reader: StreamReader,
    writer: StreamWriter,
    countedUsage: () => TokenUsage,
    chargedNano: (usage: TokenUsage) => bigint,
  ) {
    this.#reader = reader;
    this.#writer = writer;
    this.#countedUsage = countedUsage;
    this.#chargedNano = chargedNano;
  }

  get usage(): TokenUsage | undefined {
    return this.#reader.usage;
  }

  get searches(): number {
    return this.#reader.searches ?? 0;
  }

  /** @throws Error when the provider ended the stream with an error */
  take(event: Buffer): PassThroughEvent {
    const written = this.#written(this.#reader.read(event));
    if (this.#reader.ended) return { kind: 'done', bytes: this.#end(written) };
    return written === '' ? HIDE : { kind: 'pass', bytes: Buffer.from(written) };
  }

  end(): Buffer | undefined {
    const written = this.#written(this.#reader.end?.() ?? []);
    return this.#reader.ended ? this.#end(written) : undefined;
  }

  #written(events: readonly ReplyEvent[]): string {
    this.#text.addEvents(events);
    return events.length > 0 ? this.#write(events) : '';
  }

  #end(written: string): Buffer {
    const usage = this.usage ?? this.#countedUsage();
    return Buffer.from(written + this.#writer.end({ ...usage, costNano: this.#chargedNano(usage) }));
  }

  /** Usage that the provider has reported so far belongs to the first event; clients do not read it in later events. */
  #write(events: readonly ReplyEvent[]): string {
    const firstUsage = this.#begun ? undefined : this.usage;
    this.#begun = true;
    return this.#writer.write(events, firstUsage);
  }

  errorFrame(error: GatewayError): string | undefined {
    return this.#writer.fail?.(error);
  }

  estimateOutput(): number {
    return this.#text.estimate();
  }

  countOutput(): number {
    return this.#text.count();
  }

  close(): void {}
}
