import { createSecretKey, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { UnsealError } from '@gateway/secrets';
import { describe, expect, test } from '@jest/globals';
import { openStream, sealStream } from './sealed-stream';

const KIB = 1024;
const SEALED_CHUNK_BYTES = 64 * KIB + 16;
const key = createSecretKey(randomBytes(32));

async function* piecesOf(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}
const whole = (stream: AsyncIterable<Buffer>): Promise<Buffer> => buffer(stream);
const seal = (content: Buffer, size = 10_000) => whole(sealStream(key, piecesOf(content, size)));
const open = (sealed: Buffer, size = 10_000) => whole(openStream(key, piecesOf(sealed, size)));

test.each([0, 1, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, 128 * KIB, 300_000])(
  '%i bytes are opened as they were sealed, in pieces of any size',
  async (bytes) => {
    const content = randomBytes(bytes);
    for (const size of [777, 64 * KIB, 1_000_000]) {
      const sealed = await seal(content, size);
      expect(sealed.length).toBe(bytes + 16 * Math.max(1, Math.ceil(bytes / (64 * KIB))));
      expect((await open(sealed, size)).equals(content)).toBe(true);
    }
  },
);

describe('it is detected when', () => {
  const chunk = (sealed: Buffer, at: number) =>
    sealed.subarray(at * SEALED_CHUNK_BYTES, (at + 1) * SEALED_CHUNK_BYTES);

  test.each<[string, (sealed: Buffer) => Buffer]>([
    [
      'a byte is changed',
      (sealed) => Buffer.from(sealed.map((byte, at) => (at === 70_000 ? byte ^ 1 : byte))),
    ],
    ['the last byte is missing', (sealed) => sealed.subarray(0, -1)],
    ['the last chunk is missing', (sealed) => sealed.subarray(0, 2 * SEALED_CHUNK_BYTES)],
    ['the first chunk is missing', (sealed) => sealed.subarray(SEALED_CHUNK_BYTES)],
    ['all is missing', () => Buffer.alloc(0)],
    [
      'chunks change places',
      (sealed) => Buffer.concat([chunk(sealed, 1), chunk(sealed, 0), chunk(sealed, 2)]),
    ],
    ['a chunk is repeated', (sealed) => Buffer.concat([chunk(sealed, 0), sealed])],
    ['something follows', (sealed) => Buffer.concat([sealed, Buffer.alloc(100)])],
  ])('%s', async (_what, damage) => {
    const sealed = await seal(randomBytes(150 * KIB));
    await expect(open(damage(sealed))).rejects.toThrow(UnsealError);
  });

  test('the key is another one', async () => {
    const sealed = await seal(Buffer.from('text'));
    const other = createSecretKey(randomBytes(32));
    await expect(whole(openStream(other, piecesOf(sealed, 10)))).rejects.toThrow(UnsealError);
  });
});
