import type { MpegFrame } from './mpeg-frame';

/** More than the longest frame has. */
const RING_BYTES = 8_192;
const NONE = -1;

/**
 * Adds up frames that may overlap: of all choices of frames that don't, the one that lasts longest. So no decoder finds more, wherever it
 * begins and whatever it takes for a frame.
 */
export class FrameChain {
  /** By the position after a frame: what a choice that ends with it lasts. */
  readonly #ends = new Float64Array(RING_BYTES).fill(NONE);
  #at: number;
  #lastEnd: number;
  #pendingEnd: number;
  #seconds = 0;

  /** @param at position after the frames that precede */
  constructor(at: number) {
    this.#at = at;
    this.#lastEnd = at;
    this.#pendingEnd = at;
  }

  /** In seconds, of all frames that were added. */
  get seconds(): number {
    this.#advance(this.#pendingEnd);
    return this.#seconds;
  }

  /** Whether a frame, or the frames that precede all, ended at that position or since `from`. */
  endedSince(from: number, at: number): boolean {
    this.#advance(at);
    return this.#lastEnd >= from;
  }

  /** @param at not before that of the previous frame @param seconds that it counts */
  add(at: number, { bytes }: MpegFrame, seconds: number): void {
    this.#advance(at);
    const end = at + bytes;
    const slot = end % RING_BYTES;
    this.#ends[slot] = Math.max(this.#ends[slot]!, this.#seconds + seconds);
    this.#pendingEnd = Math.max(this.#pendingEnd, end);
  }

  #advance(to: number): void {
    for (const end = Math.min(to, this.#pendingEnd); this.#at < end; ) {
      const slot = ++this.#at % RING_BYTES;
      const seconds = this.#ends[slot]!;
      if (seconds === NONE) continue;
      this.#seconds = Math.max(this.#seconds, seconds);
      this.#lastEnd = this.#at;
      this.#ends[slot] = NONE;
    }
    this.#at = Math.max(this.#at, to);
  }
}
