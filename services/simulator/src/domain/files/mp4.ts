import { toJpeg } from './jpeg';
import type { Size } from './size';

const TIMESCALE = 1_000;
// No rotation, no scaling.
const MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
// ES descriptor: visual stream, JPEG, unknown bit rate, times from the file.
const DESCRIPTOR = '0315000100040d6c110000000000000000000000060102';

/** Returns a still image as a video: an MP4 (ISO 14496-12) whose only sample is a JPEG, object type 0x6c of 14496-1. */
export function toMp4(size: Size, seconds: number, hash: Buffer): Buffer {
  const sample = toJpeg(size, hash);
  const type = box('ftyp', ascii('isom'), u32(0x200), ascii('isommp41'));
  const duration = Math.round(seconds * TIMESCALE);
  // The sample follows the index, whose length does not depend on the offset.
  const index = (offset: number) => movie(size, duration, sample.length, offset);
  const offset = type.length + index(0).length + 8;
  return Buffer.concat([type, index(offset), box('mdat', sample)]);
}

function movie(size: Size, duration: number, sampleBytes: number, offset: number): Buffer {
  const header = fullBox(
    'mvhd',
    0,
    u32(0, 0, TIMESCALE, duration, 0x10000, 0x1000000, 0, 0),
    u32(...MATRIX),
    u32(0, 0, 0, 0, 0, 0, 2),
  );
  const trackHeader = fullBox(
    'tkhd',
    3,
    u32(0, 0, 1, 0, duration, 0, 0, 0, 0),
    u32(...MATRIX),
    u32(size.width * 0x10000, size.height * 0x10000),
  );
  const media = box(
    'mdia',
    fullBox('mdhd', 0, u32(0, 0, TIMESCALE, duration, 0x55c40000)),
    fullBox('hdlr', 0, u32(0), ascii('vide'), u32(0, 0, 0), ascii('video\0')),
    box(
      'minf',
      fullBox('vmhd', 1, u32(0, 0)),
      box('dinf', fullBox('dref', 0, u32(1), fullBox('url ', 1))),
      samples(size, duration, sampleBytes, offset),
    ),
  );
  return box('moov', header, box('trak', trackHeader, media));
}

function samples({ width, height }: Size, duration: number, bytes: number, offset: number): Buffer {
  const entry = box(
    'mp4v',
    u32(0, 1, 0, 0, 0, 0),
    u16(width, height),
    u32(0x480000, 0x480000, 0),
    u16(1),
    Buffer.alloc(32),
    u16(24, 0xffff),
    fullBox('esds', 0, Buffer.from(DESCRIPTOR, 'hex')),
  );
  return box(
    'stbl',
    fullBox('stsd', 0, u32(1), entry),
    fullBox('stts', 0, u32(1, 1, duration)),
    fullBox('stsc', 0, u32(1, 1, 1, 1)),
    fullBox('stsz', 0, u32(0, 1, bytes)),
    fullBox('stco', 0, u32(1, offset)),
  );
}

const box = (type: string, ...parts: Buffer[]) => {
  const data = Buffer.concat(parts);
  return Buffer.concat([u32(data.length + 8), ascii(type), data]);
};
const fullBox = (type: string, flags: number, ...parts: Buffer[]) => box(type, u32(flags), ...parts);
const ascii = (text: string) => Buffer.from(text, 'latin1');

function u32(...values: number[]): Buffer {
  const data = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => {
    data.writeUInt32BE(value, 4 * i);
  });
  return data;
}

function u16(...values: number[]): Buffer {
  const data = Buffer.alloc(2 * values.length);
  values.forEach((value, i) => {
    data.writeUInt16BE(value, 2 * i);
  });
  return data;
}
