import { expect, test } from '@jest/globals';
import { collectLargeBuffers } from './collect-large-buffers';

const MIB = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/** What gathers at most while so many bytes pass by in pieces that nobody keeps. */
function mostGathered(bytes: number, onPiece: (bytes: number) => void): number {
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let passed = 0; passed < bytes; passed += PIECE_BYTES) {
    Buffer.allocUnsafeSlow(PIECE_BYTES);
    onPiece(PIECE_BYTES);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  return most;
}

test('buffers of large bodies are collected soon after use', () => {
  expect(mostGathered(200 * MIB, () => undefined)).toBeGreaterThan(16 * MIB);
  expect(mostGathered(200 * MIB, collectLargeBuffers)).toBeLessThan(16 * MIB);
});
