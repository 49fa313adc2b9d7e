import type { ByteInput } from './byte-input';
import { type Duration, exactly } from './duration';

/** Formats with samples of a fixed size: PCM, floating point, A-law, mu-law. The latter two have a byte for each. */
const SAMPLED = new Set([1, 3, 6, 7]);
const BYTE_SAMPLED = new Set([6, 7]);
/** Microsoft's and IMA's, with two to five bits for a sample. */
const ADPCM = new Set([2, 0x11]);
const MIN_ADPCM_BITS = 2;
const MAX_ADPCM_BITS = 5;
/** MPEG audio in WAV, whose lowest rate is 8 kbit/s. */
const MPEG = new Set([0x50, 0x55]);
const MPEG_BYTES_PER_SECOND = 1_000;
/** Names one of them after the other members. */
const EXTENSIBLE = 0xfffe;
const FORMAT_BYTES = 16;
const EXTENSIBLE_BYTES = 40;
const MAX_CHANNELS = 64;
const MAX_SAMPLE_RATE = 384_000;
const SAMPLE_BITS = new Set([8, 16, 24, 32, 64]);

/**
 * Counts all bytes after the headers as samples, whatever the header says about their number. Undefined without a usable header, and with two of them:
 * decoders differ in which they take.
 */
export function* wavDuration(input: ByteInput): Generator<void, Duration | undefined> {
  let bytesPerSecond: number | undefined;
  input.skip(12);
  while (yield* input.fill(8)) {
    const head = input.take(8);
    const size = head.readUInt32LE(4);
    const id = head.toString('latin1', 0, 4);
    if (id === 'data') {
      const bytes = input.totalBytes - input.offset;
      return bytesPerSecond === undefined ? undefined : exactly(bytes / bytesPerSecond);
    }
    if (id === 'fmt ') {
      if (bytesPerSecond !== undefined || !(yield* input.fill(Math.min(size, EXTENSIBLE_BYTES))))
        return undefined;
      bytesPerSecond = byteRate(input.window.subarray(input.at, input.at + Math.min(size, EXTENSIBLE_BYTES)));
      if (bytesPerSecond === undefined) return undefined;
    }
    input.skip(size + (size % 2));
  }
  return undefined;
}

/** Returns the bytes of a second; undefined without a usable header. */
function byteRate(header: Buffer): number | undefined {
  if (header.length < FORMAT_BYTES) return undefined;
  const isExtensible = header.readUInt16LE(0) === EXTENSIBLE;
  if (isExtensible && header.length < EXTENSIBLE_BYTES) return undefined;
  const format = header.readUInt16LE(isExtensible ? 24 : 0);
  const channels = header.readUInt16LE(2);
  const rate = header.readUInt32LE(4);
  const bits = header.readUInt16LE(14);
  // Some decoders take the valid bits for the size of a sample. Zero: all are.
  const validBits = (isExtensible && header.readUInt16LE(18)) || bits;
  if (MPEG.has(format)) return MPEG_BYTES_PER_SECOND;
  if (channels === 0 || channels > MAX_CHANNELS || rate === 0 || rate > MAX_SAMPLE_RATE) return undefined;
  if (ADPCM.has(format)) {
    if (bits < MIN_ADPCM_BITS || bits > MAX_ADPCM_BITS) return undefined;
    return (rate * channels * bits) / 8;
  }
  if (!SAMPLED.has(format) || !SAMPLE_BITS.has(bits)) return undefined;
  const sampleBytes = BYTE_SAMPLED.has(format) ? 1 : Math.ceil(Math.min(bits, validBits) / 8);
  return rate * channels * sampleBytes;
}
