import { expect, test } from '@jest/globals';
import { noteLargeBuffer } from './collect-large-buffers';

const MIB = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/** Returns the peak of buffer memory while that many bytes are allocated in pieces and dropped. */
function peakBytes(bytes: number, onPiece: (bytes: number) => void): number {
  const before = process.memoryUsage().arrayBuffers;
  let peak = 0;
  for (let allocated = 0; allocated < bytes; allocated += PIECE_BYTES) {
    Buffer.allocUnsafeSlow(PIECE_BYTES);
    onPiece(PIECE_BYTES);
    peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
  }
  return peak;
}

test('collects the buffers of large bodies soon after use', () => {
  expect(peakBytes(200 * MIB, () => undefined)).toBeGreaterThan(16 * MIB);
  expect(peakBytes(200 * MIB, noteLargeBuffer)).toBeLessThan(16 * MIB);
});
