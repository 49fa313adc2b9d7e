import type { GatewayError } from '@gateway/errors';
import { inputTokensOf } from '@gateway/pricing';
import type { MeteredStream, PassThroughEvent } from '../domain/chat-provider';
import { isRefusal, type ReplyEvent, type StreamReader, type StreamWriter } from '../domain/reply';
import { ReplyText } from '../domain/reply-text';
import type { BilledUsage, TokenUsage } from '../domain/usage';

const HIDE: PassThroughEvent = { kind: 'hide' };

/** A stream that is translated from the provider's format to the client's. */
export class TranslatedStream implements MeteredStream {
  readonly #reader: StreamReader;
  readonly #writer: StreamWriter;
  readonly #completedUsage: () => BilledUsage;
  readonly #text = new ReplyText();
  #begun = false;
  #isRefused = false;

  /** @param completedUsage returns the usage of the complete reply */
  constructor(reader: StreamReader, writer: StreamWriter, completedUsage: () => BilledUsage) {
    this.#reader = reader;
    this.#writer = writer;
    this.#completedUsage = completedUsage;
  }

  get usage(): TokenUsage | undefined {
    return this.#reader.usage;
  }

  get searches(): number {
    return this.#reader.searches ?? 0;
  }

  get isRefused(): boolean {
    return this.#isRefused;
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
    this.#isRefused ||= events.some(isRefusal);
    return events.length > 0 ? this.#write(events) : '';
  }

  #end(written: string): Buffer {
    return Buffer.from(written + this.#writer.end(this.#completedUsage()));
  }

  /** Usage that the provider has reported so far belongs to the first event; clients do not read it in later events. */
  #write(events: readonly ReplyEvent[]): string {
    const reported = this.#begun ? undefined : this.usage;
    const firstUsage = reported && inputTokensOf(reported) > 0 ? reported : undefined;
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
