import type { ByteInput } from './byte-input';
import { type Duration, exactly } from './duration';

/** Sizes by the upper four bits of a header's third byte; the others are 256 << bits - 8, or follow the frame's number. */
const SMALL_BLOCKS: Readonly<Record<number, number>> = { 1: 192, 2: 576, 3: 1_152, 4: 2_304, 5: 4_608 };
/** Rates by its lower four bits; 0 is that of the file, 12 to 14 follow, 15 is invalid. */
const RATES = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];
const MAX_HEADER_BYTES = 16;
/** `fLaC`, the header of the first metadata block, and STREAMINFO up to its rate. */
const STREAM_HEAD_BYTES = 4 + 4 + 13;

/**
 * Adds up all frames of a FLAC file, which begin with a synchronization code and a header that has a checksum (RFC 9639, 9.1). Silence
 * takes a few bytes, so neither the bytes of a file nor its headers bound it. Within other content a header occurs by chance once in 8 MiB.
 */
export function* flacDuration(input: ByteInput): Generator<void, Duration | undefined> {
  if (!(yield* input.fill(STREAM_HEAD_BYTES))) return undefined;
  const fileRate = rateOfStreamInfo(input.window.subarray(input.at + 8, input.at + STREAM_HEAD_BYTES));
  let seconds = 0;
  while (input.available > 0 || (yield* input.fill(1))) {
    const sync = input.window.indexOf(0xff, input.at);
    if (sync < 0) {
      input.skip(input.available);
      continue;
    }
    input.skip(sync - input.at);
    yield* input.fill(MAX_HEADER_BYTES);
    seconds += flacFrameSeconds(input.window, input.at, fileRate);
    input.skip(1);
  }
  return exactly(seconds);
}

/** @param info STREAMINFO, at least its first 13 bytes (RFC 9639, 8.2) */
export const rateOfStreamInfo = (info: Buffer): number => info.readUIntBE(10, 3) >> 4;

/** Returns the duration of the frame that begins there; 0 if none does. @param fileRate of STREAMINFO */
export function flacFrameSeconds(audio: Buffer, at: number, fileRate: number): number {
  if (at + 6 > audio.length || audio[at] !== 0xff || (audio[at + 1]! & 0xfe) !== 0xf8) return 0;
  const blockBits = audio[at + 2]! >> 4;
  const rateBits = audio[at + 2]! & 15;
  if (blockBits === 0 || rateBits === 15 || audio[at + 3]! >> 4 > 10 || (audio[at + 3]! & 1) !== 0) return 0;
  let next = at + 4 + numberBytes(audio[at + 4]!);
  let samples = SMALL_BLOCKS[blockBits] ?? 256 << (blockBits - 8);
  if (blockBits === 6 || blockBits === 7) {
    const bytes = blockBits - 5;
    if (next + bytes > audio.length) return 0;
    samples = audio.readUIntBE(next, bytes) + 1;
    next += bytes;
  }
  let rate = RATES[rateBits] || fileRate;
  if (rateBits >= 12) {
    const bytes = rateBits === 12 ? 1 : 2;
    if (next + bytes > audio.length) return 0;
    rate = audio.readUIntBE(next, bytes) * (rateBits === 12 ? 1_000 : rateBits === 14 ? 10 : 1);
    next += bytes;
  }
  const isHeader = next < audio.length && crc8(audio, at, next) === audio[next];
  return isHeader && rate > 0 ? samples / rate : 0;
}

/** Of the number of a frame, which is coded like a character of UTF-8. */
const numberBytes = (first: number): number => (first < 0x80 ? 1 : Math.clz32(~(first << 24)));

/** Of the polynomial x^8 + x^2 + x + 1. */
function crc8(bytes: Buffer, start: number, end: number): number {
  let crc = 0;
  for (let at = start; at < end; at++) {
    crc ^= bytes[at]!;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x80 ? 0x07 : 0)) & 0xff;
  }
  return crc;
}
