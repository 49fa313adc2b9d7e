import type { UploadKind } from './upload';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);

const RIFF_KINDS: Readonly<Record<string, UploadKind>> = { WEBP: 'webp', WAVE: 'wav' };
const KINDS: readonly (readonly [Buffer, UploadKind])[] = [
  [Buffer.from('fLaC'), 'flac'],
  [Buffer.from('ID3'), 'mp3'],
  [Buffer.from('OggS'), 'ogg'],
  [Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), 'webm'],
  [Buffer.from([0x00, 0x00, 0x01, 0xba]), 'mpeg'],
];

/** Number of first bytes that are checked. */
export const KIND_BYTES = 12;

/** Returns the kind of a file by its first bytes. */
export function kindOf(bytes: Buffer): UploadKind | undefined {
  if (bytes.subarray(0, 8).equals(PNG)) return 'png';
  if (bytes.subarray(0, 3).equals(JPEG)) return 'jpeg';
  const text = (start: number, end: number) => bytes.toString('latin1', start, end);
  if (text(0, 4) === 'RIFF') return RIFF_KINDS[text(8, 12)];
  if (text(4, 8) === 'ftyp') return 'mp4';
  return KINDS.find(([magic]) => bytes.subarray(0, magic.length).equals(magic))?.[1] ?? mp3Of(bytes);
}

/** A frame of Layer III without a tag before it: eleven set bits, and the number of the layer. */
const mp3Of = (bytes: Buffer): UploadKind | undefined =>
  bytes.length > 1 && bytes[0] === 0xff && (bytes[1]! & 0xe6) === 0xe2 ? 'mp3' : undefined;
