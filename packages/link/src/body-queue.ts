import type { CallFrame } from '@gateway/proto/generated/gateway/edge/v1/CallFrame';
import type { CallFrames } from '@gateway/proto/generated/gateway/edge/v1/CallFrames';
import type { TickBatcher } from '@gateway/rpc';
import { LINK_SLICE_BYTES } from './link-limits';

interface QueuedBody {
  readonly call: number;
  readonly body: Buffer;
  sentBytes: number;
}

/**
 * Sends request bodies in slices, round-robin among calls and no faster than the stream accepts them. A large body does not
 * delay small ones, and its unsent part can still be discarded.
 */
export class BodyQueue {
  #bodies: QueuedBody[] = [];

  add(call: number, body: Buffer): void {
    if (body.length > 0) this.#bodies.push({ call, body, sentBytes: 0 });
  }

  /** Discards the unsent part of a call's body. */
  drop(call: number): void {
    if (this.#bodies.length > 0) this.#bodies = this.#bodies.filter((queued) => queued.call !== call);
  }

  clear(): void {
    this.#bodies = [];
  }

  sendInto(frames: TickBatcher<CallFrame, CallFrames>): void {
    while (frames.isWritable) {
      const queued = this.#bodies.shift();
      if (!queued) return;
      const { call, body, sentBytes } = queued;
      const slice = body.subarray(sentBytes, sentBytes + LINK_SLICE_BYTES);
      frames.add({ call, body: slice }, slice.length);
      queued.sentBytes += slice.length;
      if (queued.sentBytes < body.length) this.#bodies.push(queued);
    }
  }
}
