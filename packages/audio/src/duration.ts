import type { ByteInput } from './byte-input';

/** In seconds. */
export interface Duration {
  /** That of the frames that a decoder finds. */
  readonly seconds: number;
  /** What no decoder exceeds. */
  readonly maxSeconds: number;
}

/** Reads a file. Returns undefined if its content does not bound its duration. Yields when it needs more bytes. */
export type DurationReader = (input: ByteInput) => Generator<void, Duration | undefined>;

export const exactly = (seconds: number): Duration => ({ seconds, maxSeconds: seconds });

export const longer = (one: Duration, other: Duration): Duration => ({
  seconds: Math.max(one.seconds, other.seconds),
  maxSeconds: Math.max(one.maxSeconds, other.maxSeconds),
});

/** Of files that can't be read: of the usual codecs, and below those of silence. */
const USUAL_BYTES_PER_SECOND = 1_000;
const LEAST_BYTES_PER_SECOND = 50;

export const unreadable = (bytes: number): Duration => ({
  seconds: bytes / USUAL_BYTES_PER_SECOND,
  maxSeconds: bytes / LEAST_BYTES_PER_SECOND,
});
