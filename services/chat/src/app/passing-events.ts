import type { PassedEvent, PassedStream } from '../domain/chat-provider';
import { SseSplitter } from '../sse/sse-splitter';

const EVENT_END = Buffer.from('\n\n');

/** The events of a provider's stream on their way to the caller, up to the last one or to where it breaks. */
export class PassingEvents {
  readonly #stream: PassedStream;
  readonly #splitter = new SseSplitter();
  #done: Buffer | undefined;
  #failure: unknown;

  constructor(stream: PassedStream) {
    this.#stream = stream;
  }

  /** What ends a whole stream; not yet passed, because it waits for the bill. */
  get done(): Buffer | undefined {
    return this.#done;
  }

  /** Why it broke. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Nothing more can come. */
  get over(): boolean {
    return this.#done !== undefined || this.#failure !== undefined;
  }

  /** What the caller gets for these bytes, empty when that is nothing; before a break what came whole passes. */
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

  /** The provider's connection has ended. A blank line after the last event is not everybody's habit. */
  end(): void {
    const { rest } = this.#splitter;
    let cause: unknown;
    try {
      if (!this.over && rest.length > 0) this.#take(Buffer.concat([rest, EVENT_END]));
    } catch (error) {
      cause = error;
    }
    if (!this.over) this.#failure = new Error('stream ended too early', { cause });
  }

  /** Gives it up. */
  break(failure: unknown): void {
    if (!this.over) this.#failure = failure;
  }

  #take(event: Buffer): PassedEvent {
    const taken = this.#stream.take(event);
    if (taken.kind === 'done') this.#done = taken.bytes;
    if (taken.kind === 'error') this.#failure = new Error('provider sent an error event');
    return taken;
  }
}
