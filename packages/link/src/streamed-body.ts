import { ClientDisconnected } from '@gateway/rpc';
import { collectLargeBuffers } from './collect-large-buffers';
import { LINK_BODY_WINDOW_BYTES } from './link-limits';

/**
 * A request body that one handler takes as it comes. Credit returns to the caller's side for what was taken, so at
 * most a window of it waits here.
 */
export class StreamedBody implements AsyncIterableIterator<Buffer> {
  readonly #giveCredit: (bytes: number) => void;
  #waiting: Buffer[] = [];
  #uncreditedBytes = 0;
  #ended = false;
  #closedBy: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(giveCredit: (bytes: number) => void) {
    this.#giveCredit = giveCredit;
  }

  push(bytes: Buffer): void {
    if (this.#closedBy || this.#ended) return;
    this.#waiting.push(bytes);
    this.#wake?.();
  }

  /** It came whole. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Nothing more will come or be asked for; who waits for more of a body that is not whole is told why. */
  close(why: Error = new ClientDisconnected()): void {
    this.#closedBy ??= why;
    if (!this.#ended) this.#waiting = [];
    this.#wake?.();
  }

  /** @throws what it was closed with: ClientDisconnected when the caller's side gave it up */
  async next(): Promise<IteratorResult<Buffer, undefined>> {
    while (this.#waiting.length === 0) {
      if (this.#ended) return { done: true, value: undefined };
      if (this.#closedBy) throw this.#closedBy;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const value = this.#waiting.shift()!;
    collectLargeBuffers(value.length);
    this.#uncreditedBytes += value.length;
    if (this.#uncreditedBytes >= LINK_BODY_WINDOW_BYTES / 2 && !this.#ended) {
      this.#giveCredit(this.#uncreditedBytes);
      this.#uncreditedBytes = 0;
    }
    return { done: false, value };
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.close();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
