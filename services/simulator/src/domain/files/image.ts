import { createHash } from 'node:crypto';
import { toJpeg } from './jpeg';
import { toPng } from './png';
import type { Size } from './size';
import { toWebp } from './webp';

export type ImageFormat = 'png' | 'jpeg' | 'webp';

const WRITERS = { png: toPng, jpeg: toJpeg, webp: toWebp };

/** Returns a small valid file of that size, with the same bytes for the same seed. */
export function drawImage(format: ImageFormat, size: Size, seed: string): Buffer {
  return WRITERS[format](size, createHash('sha256').update(seed).digest());
}

/** Detects the format by the first bytes. */
export function imageFormatOf(head: Buffer): ImageFormat | undefined {
  if (head.subarray(0, 8).toString('hex') === '89504e470d0a1a0a') return 'png';
  if (head.subarray(0, 3).toString('hex') === 'ffd8ff') return 'jpeg';
  const riff = head.subarray(0, 4).toString('latin1') === 'RIFF';
  return riff && head.subarray(8, 12).toString('latin1') === 'WEBP' ? 'webp' : undefined;
}
