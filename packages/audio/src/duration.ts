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
