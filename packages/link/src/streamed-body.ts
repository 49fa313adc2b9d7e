import { ClientDisconnected } from '@gateway/rpc';
import { noteLargeBuffer } from './collect-large-buffers';
import { LINK_REQUEST_WINDOW_BYTES } from './link-limits';

/**
 * A request body that one handler reads as it arrives. Credit is returned to the sender for bytes that were read, so at
 * most one window is buffered here.
 */
export class StreamedBody implements AsyncIterableIterator<Buffer> {
  readonly #giveCredit: (bytes: number) => void;
  #waiting: Buffer[] = [];
  #uncreditedBytes = 0;
  #ended = false;
  #closeReason: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(giveCredit: (bytes: number) => void) {
    this.#giveCredit = giveCredit;
  }

  push(bytes: Buffer): void {
    if (this.#closeReason || this.#ended) return;
    this.#waiting.push(bytes);
    this.#wake?.();
  }

  /** The body is complete. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Stops reading. `next` throws `reason` if the body is incomplete. */
  close(reason: Error = new ClientDisconnected()): void {
    this.#closeReason ??= reason;
    if (!this.#ended) this.#waiting = [];
    this.#wake?.();
  }

  /** @throws the reason for which it was closed: ClientDisconnected when the sender cancelled */
  async next(): Promise<IteratorResult<Buffer, undefined>> {
    while (this.#waiting.length === 0) {
      if (this.#ended) return { done: true, value: undefined };
      if (this.#closeReason) throw this.#closeReason;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const value = this.#waiting.shift()!;
    noteLargeBuffer(value.length);
    this.#uncreditedBytes += value.length;
    if (this.#uncreditedBytes >= LINK_REQUEST_WINDOW_BYTES / 2 && !this.#ended) {
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
