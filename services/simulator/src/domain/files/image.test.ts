import { inflateSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { drawImage, imageFormatOf } from './image';
import { toMp4 } from './mp4';

const SIZE = { width: 1_000, height: 16 };

describe.each(['png', 'jpeg', 'webp'] as const)('%s', (format) => {
  test('is detected by its first bytes and depends only on the seed', () => {
    const image = drawImage(format, SIZE, 'a');
    expect(imageFormatOf(image)).toBe(format);
    expect(drawImage(format, SIZE, 'a')).toEqual(image);
    expect(drawImage(format, SIZE, 'b')).not.toEqual(image);
  });

  test('is a small file at the largest size', () => {
    expect(drawImage(format, { width: 3_840, height: 2_160 }, 'a').length).toBeLessThan(40_000);
  });
});

test('a PNG has one bit per pixel', () => {
  const png = drawImage('png', SIZE, 'a');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1_000, 16]);
  const start = png.indexOf('IDAT');
  const rows = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)));
  expect(rows.length).toBe(16 * (1 + 125));
});

test('a JPEG has its size and two bits per block', () => {
  const jpeg = drawImage('jpeg', SIZE, 'a');
  const frame = jpeg.indexOf(Buffer.from('ffc0', 'hex'));
  expect([jpeg.readUInt16BE(frame + 5), jpeg.readUInt16BE(frame + 7)]).toEqual([16, 1_000]);
  const scan = jpeg.indexOf(Buffer.from('ffda', 'hex')) + 10;
  const blocks = 125 * 2;
  expect(jpeg.length - 2 - scan).toBe(Math.ceil((10 + 2 * (blocks - 1)) / 8));
});

test('a WebP has its size', () => {
  const webp = drawImage('webp', SIZE, 'a');
  expect(webp.readUInt32LE(4)).toBe(webp.length - 8);
  const bits = webp.readUInt32LE(21);
  expect([(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1]).toEqual([1_000, 16]);
});

test('an MP4 consists of complete boxes, and its index points at the sample', () => {
  const mp4 = toMp4({ width: 1_280, height: 720 }, 5, Buffer.alloc(32, 7));
  const boxes: string[] = [];
  let at = 0;
  while (at < mp4.length) {
    boxes.push(mp4.toString('latin1', at + 4, at + 8));
    at += mp4.readUInt32BE(at);
  }
  expect([boxes, at]).toEqual([['ftyp', 'moov', 'mdat'], mp4.length]);
  const sample = mp4.readUInt32BE(mp4.indexOf('stco') + 12);
  expect(imageFormatOf(mp4.subarray(sample))).toBe('jpeg');
  const header = mp4.indexOf('mvhd');
  expect(mp4.readUInt32BE(header + 20) / mp4.readUInt32BE(header + 16)).toBe(5);
});
