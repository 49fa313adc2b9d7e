import { describe, expect, test } from '@jest/globals';
import type { UploadKind } from '../../domain/upload';
import { PixelCounter } from './pixel-counter';

const bytes = (...parts: (string | number[] | Buffer)[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );
const be16 = (value: number) => [value >> 8, value & 0xff];
const be32 = (value: number) => [...be16(value >>> 16), ...be16(value & 0xffff)];
const le24 = (value: number) => [value & 0xff, (value >> 8) & 0xff, value >> 16];
const rest = Buffer.alloc(40);

const png = (width: number, height: number) =>
  bytes('\x89PNG\r\n\x1a\n', be32(13), 'IHDR', be32(width), be32(height), rest);
const segment = (code: number, content: Buffer) => bytes([0xff, code], be16(content.length + 2), content);
const frame = (width: number, height: number, code = 0xc0) =>
  segment(code, bytes([8], be16(height), be16(width), [3], Buffer.alloc(9)));
const START = [0xff, 0xd8];
const webp = (chunk: string, content: number[]) =>
  bytes('RIFF', be32(0), 'WEBP', chunk, be32(0), content, rest);

const IMAGES: [string, UploadKind, Buffer, number][] = [
  ['a PNG', 'png', png(3_000, 2_000), 6_000_000],
  ['a JPEG', 'jpeg', bytes(START, segment(0xe0, Buffer.from('JFIF')), frame(640, 480)), 307_200],
  // A preview has its own frame within a segment.
  [
    'a JPEG with an embedded preview',
    'jpeg',
    bytes(
      START,
      segment(0xe1, bytes(START, frame(160, 120), Buffer.alloc(60_000))),
      frame(4_000, 3_000, 0xc2),
    ),
    12_000_000,
  ],
  [
    'a JPEG with tables, fill bytes and standalone markers',
    'jpeg',
    bytes(START, [0xff, 0xff, 0xff], segment(0xc4, rest).subarray(1), [0xff, 0x01], frame(10, 20)),
    200,
  ],
  ['a lossy WebP', 'webp', webp('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, 0x00, 0x04, 0x00, 0x43]), 1_024 * 768],
  ['a lossless WebP', 'webp', webp('VP8L', [0x2f, 0xff, 0xc3, 0xff, 0x00]), 1_024 * 1_024],
  ['an extended WebP', 'webp', webp('VP8X', [0, 0, 0, 0, ...le24(4_999), ...le24(2_999)]), 15_000_000],
];

describe('the pixels of an image are counted', () => {
  test.each(IMAGES)('for %s', (_what, kind, file, pixels) => {
    const counter = new PixelCounter(kind);
    counter.push(file);
    expect(counter.pixels).toBe(pixels);
  });

  test.each(IMAGES)('for %s in chunks of any size', (_what, kind, file, pixels) => {
    for (const pieceBytes of [1, 2, 7, 29, 1_000]) {
      const counter = new PixelCounter(kind);
      for (let at = 0; at < file.length; at += pieceBytes) counter.push(file.subarray(at, at + pieceBytes));
      expect([pieceBytes, counter.pixels]).toEqual([pieceBytes, pixels]);
    }
  });
});

test.each<[string, UploadKind, Buffer]>([
  ['a PNG that has only its signature', 'png', bytes('\x89PNG\r\n\x1a\n')],
  ['a PNG whose first chunk is not IHDR', 'png', bytes('\x89PNG\r\n\x1a\n', be32(13), 'IEND', rest)],
  ['a PNG without a width', 'png', png(0, 10)],
  ['a truncated JPEG', 'jpeg', bytes(START, frame(10, 10).subarray(0, 6))],
  ['a JPEG whose height is at its end', 'jpeg', bytes(START, frame(10, 0))],
  ['a JPEG whose scan begins before its size', 'jpeg', bytes(START, segment(0xda, rest), frame(1, 1))],
  ['a JPEG with bytes between its segments', 'jpeg', bytes(START, [0], frame(10, 10))],
  ['a WebP with an unknown first chunk', 'webp', webp('ALPH', [1])],
  ['a lossy WebP without its start code', 'webp', webp('VP8 ', [0, 0, 0, 1, 2, 3, 0, 4, 0, 3])],
])('the pixels of %s are unknown', (_what, kind, file) => {
  const counter = new PixelCounter(kind);
  counter.push(file);
  expect(counter.pixels).toBeUndefined();
});

test('reading random bytes terminates', () => {
  let seed = 1;
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed & 0xff;
  };
  for (let run = 0; run < 500; run++) {
    const counter = new PixelCounter('jpeg');
    counter.push(
      bytes(
        START,
        Array.from({ length: 300 }, () => (next() < 80 ? 0xff : next())),
      ),
    );
    expect(counter.pixels ?? 1).toBeGreaterThan(0);
  }
});
