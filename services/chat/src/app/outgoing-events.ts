import { SseSplitter } from '@gateway/upstream';
import type { MeteredStream, PassThroughEvent } from '../domain/chat-provider';

const NOTHING = Buffer.alloc(0);

/** The events of a provider's stream on their way to the client, up to the last one or to a break. */
export class OutgoingEvents {
  readonly #stream: MeteredStream;
  readonly #restore: (event: Buffer) => Buffer;
  readonly #splitter = new SseSplitter();
  #done: Buffer | undefined;
  #failure: unknown;

  /** @param restore returns an event of the provider with what the caller wrote (`restorer.ts`); absent: it is the same */
  constructor(stream: MeteredStream, restore: (event: Buffer) => Buffer = (event) => event) {
    this.#stream = stream;
    this.#restore = restore;
  }

  /** The end of a complete stream, kept back until the usage is durable. */
  get done(): Buffer | undefined {
    return this.#done;
  }

  /** Why the stream broke. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Whether nothing more can follow. */
  get over(): boolean {
    return this.#done !== undefined || this.#failure !== undefined;
  }

  /** Returns what the client gets for these bytes, possibly nothing; events completed before a break are passed on. */
  push(bytes: Buffer): Buffer {
    const passed: Buffer[] = [];
    try {
      for (const event of this.#splitter.push(bytes)) {
        const taken = this.#take(event);
        if (taken.kind === 'pass') passed.push(taken.bytes);
        if (this.over) break;
      }
    } catch (error) {
      this.#failure = error;
    }
    return passed.length === 1 ? passed[0]! : Buffer.concat(passed);
  }

  /**
   * Handles the clean end of the connection; returns what the client gets before the last event. Some providers omit the blank
   * line after the last event, others the last event itself: a reply that has its finish reason is complete.
   */
  end(): Buffer {
    let passed: Buffer = NOTHING;
    let cause: unknown;
    try {
      for (const event of this.over ? [] : this.#splitter.end()) {
        const taken = this.#take(event);
        if (taken.kind === 'pass') passed = taken.bytes;
      }
      if (!this.over) this.#done = this.#stream.end?.();
    } catch (error) {
      cause = error;
    }
    if (this.over) return passed;
    this.#failure = new Error('stream ended too early', { cause });
    return NOTHING;
  }

  /** Aborts the stream. */
  break(failure: unknown): void {
    if (!this.over) this.#failure = failure;
  }

  #take(event: Buffer): PassThroughEvent {
    const taken = this.#stream.take(this.#restore(event));
    if (taken.kind === 'done') this.#done = taken.bytes;
    if (taken.kind === 'error') this.#failure = new Error('provider sent an error event');
    return taken;
  }
}
