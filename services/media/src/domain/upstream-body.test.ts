import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Upload } from './upload';
import { bodyBytes, readBody, type UpstreamBody } from './upstream-body';

const uploadOf = (pieces: readonly Buffer[]): Upload => ({
  part: 'image',
  kind: 'png',
  bytes: pieces.reduce((sum, piece) => sum + piece.length, 0),
  async *open() {
    yield* pieces;
  },
});

async function sent(body: UpstreamBody): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of readBody(body)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));

test('a file is encoded as the base64 of the whole file, however its bytes are chunked', () =>
  fc.assert(
    fc.asyncProperty(fc.array(bytes), async (pieces) => {
      const body = [Buffer.from('"'), { upload: uploadOf(pieces), as: 'base64' as const }, Buffer.from('"')];
      const expected = `"${Buffer.concat(pieces).toString('base64')}"`;
      expect((await sent(body)).toString()).toBe(expected);
      expect(bodyBytes(body)).toBe(expected.length);
    }),
  ));

test('a raw file sends its bytes each time it is read', async () => {
  const upload = uploadOf([Buffer.from('ab'), Buffer.from('c')]);
  const body = [
    { upload, as: 'raw' as const },
    { upload, as: 'raw' as const },
  ];
  expect((await sent(body)).toString()).toBe('abcabc');
  expect((await sent(body)).toString()).toBe('abcabc');
  expect(bodyBytes(body)).toBe(6);
});
