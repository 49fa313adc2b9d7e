import { crc32, deflateSync } from 'node:zlib';
import type { Size } from './size';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const ROW_PATTERN_BYTES = 8;

/** Returns stripes of two colours with one bit per pixel: the largest size is still only a few kilobytes. */
export function toPng({ width, height }: Size, hash: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 3, 0, 0, 0], 8);
  const row = Buffer.alloc(1 + Math.ceil(width / 8));
  row.fill(hash.subarray(0, ROW_PATTERN_BYTES), 1);
  const rows = Buffer.alloc(row.length * height, row);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', hash.subarray(ROW_PATTERN_BYTES, ROW_PATTERN_BYTES + 6)),
    // A small image shows little of the pattern, so the comment makes it unique.
    chunk('tEXt', Buffer.from(`Comment\0${hash.toString('hex')}`, 'latin1')),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
