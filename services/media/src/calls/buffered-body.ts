import { type Pace, pacedBody } from './paced-body';

/** A reply of a few megabytes is sent within the grace even at a lower rate. */
const PACE: Pace = { graceMs: 60_000, leastBytesPerSecond: 256 * 1024 };
const PIECE_BYTES = 128 * 1024;

/**
 * Returns a buffered reply as a body that reports when its memory is free: it was sent, its reader has disconnected, or the
 * reader was too slow and was disconnected.
 * @param onOver called once
 */
export function bufferedBody(bytes: Buffer, onOver: () => void): AsyncIterable<Buffer> {
  return pacedBody({ body: inPieces(bytes), pace: PACE, onSlow: () => {}, onOver });
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
