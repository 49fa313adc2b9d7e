import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 8_192;
const RANDOM_BYTES = 10;
/** A clock that steps back by less than this is waited out, so that ids stay in order. */
const MAX_STEP_BACK_MS = 10_000;

/**
 * Makes UUIDs of version 7 (RFC 9562): 48 bits of milliseconds, a 12-bit counter that starts anew at a
 * random value below 2048 each millisecond, 62 random bits. Ids of one generator ascend.
 */
export function createUuidV7Generator(
  now: () => number = Date.now,
  fillRandom: (buffer: Buffer) => unknown = randomFillSync,
): () => string {
  // Random bytes are drawn in bulk, because one draw costs more than all the rest.
  const pool = Buffer.alloc(POOL_BYTES);
  const bytes = Buffer.alloc(16);
  let poolAt = POOL_BYTES;
  let lastMs = -1;
  let counter = 0;

  return () => {
    if (poolAt + RANDOM_BYTES > POOL_BYTES) {
      fillRandom(pool);
      poolAt = 0;
    }
    const nowMs = now();
    if (nowMs > lastMs || lastMs - nowMs > MAX_STEP_BACK_MS) {
      lastMs = nowMs;
      counter = pool.readUInt16BE(poolAt) & 0x7ff;
    } else if (counter === 0xfff) {
      lastMs += 1;
      counter = pool.readUInt16BE(poolAt) & 0x7ff;
    } else {
      counter += 1;
    }
    bytes.writeUIntBE(lastMs, 0, 6);
    bytes.writeUInt16BE(0x7000 | counter, 6);
    pool.copy(bytes, 8, poolAt + 2, poolAt + RANDOM_BYTES);
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    poolAt += RANDOM_BYTES;
    const hex = bytes.toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
}
