import { type Pace, pacedBody } from './paced-body';

/** A reply of some megabytes is through within the grace even where that is not kept. */
const PACE: Pace = { graceMs: 60_000, leastBytesPerSecond: 256 * 1024 };
const PIECE_BYTES = 128 * 1024;

/**
 * A reply that is whole in memory, as a body that says when it is there no longer: it has gone out, its reader has left,
 * or takes it so slowly that it is cut off.
 * @param onOver called once
 */
export function bufferedBody(bytes: Buffer, onOver: () => void): AsyncIterable<Buffer> {
  return pacedBody({ body: inPieces(bytes), pace: PACE, onSlow: () => {}, onOver });
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
