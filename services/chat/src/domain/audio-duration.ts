/** A file of audio in base64 is decoded up to here for its header. */
const MAX_HEAD_CHARS = 64 * 1024;
/** Of the lowest rate of MP3, 8 kbit/s. */
const LOWEST_BYTES_PER_SECOND = 1_000;
/** Pauses at the edges, and rounding. */
const SPARE_SECONDS = 1;
/**
 * Returns the maximum duration in seconds of WAV or MP3 audio, by its samples or frames; undefined for another format or encoding, whose
 * bytes do not bound it: seconds of silence may take a byte.
 * @param base64 in the standard or the URL alphabet
 * @param type name of the format or media type by which the audio will be decoded: content of another format is not WAV or MP3, because
 * a decoder skips its header. Absent: the content tells.
 */
export function maxAudioSeconds(base64: string, type?: string): number | undefined {
  const head = Buffer.from(base64.slice(0, MAX_HEAD_CHARS), 'base64');
  const bytes = Math.ceil((base64.length * 3) / 4);
  if (isWav(head)) {
    const seconds = isNamed(type, WAV_TYPE) ? wavSeconds(head, bytes) : undefined;
    return seconds && seconds + SPARE_SECONDS;
  }
  if (!isMp3(head) || !isNamed(type, MP3_TYPE)) return undefined;
  const audio = Buffer.from(base64, 'base64');
  const seconds = mp3Seconds(audio);
  // Decoding ends at padding, which other decoders skip.
  return seconds && seconds + (bytes - audio.length) / LOWEST_BYTES_PER_SECOND + SPARE_SECONDS;
}

const WAV_TYPE = /^(audio\/)?(x-|vnd\.)?wave?$/i;
const MP3_TYPE = /^(audio\/)?(x-)?(mp3|mpeg3?|mpga)$/i;

const isNamed = (type: string | undefined, names: RegExp): boolean => type === undefined || names.test(type);

const isWav = (head: Buffer): boolean =>
  head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WAVE';

const isMp3 = (head: Buffer): boolean =>
  head.toString('latin1', 0, 3) === 'ID3' || frameAt(head, 0) !== undefined;

/** Formats of WAV with samples of a fixed size: PCM, floating point, A-law, mu-law. The latter two have a byte for each. */
const SAMPLED = new Set([1, 3, 6, 7]);
const BYTE_SAMPLED = new Set([6, 7]);
/** Names one of them after the other members. */
const EXTENSIBLE = 0xfffe;
const FORMAT_BYTES = 16;
const EXTENSIBLE_BYTES = 40;
const MAX_CHANNELS = 64;
const MAX_SAMPLE_RATE = 384_000;
const SAMPLE_BITS = new Set([8, 16, 24, 32, 64]);

/**
 * Counts all bytes as samples, whatever the header says about their number. Undefined without a usable header, and with two of them:
 * decoders differ in which they take.
 */
function wavSeconds(head: Buffer, bytes: number): number | undefined {
  let bytesPerSecond: number | undefined;
  for (let at = 12; at + 8 <= head.length; ) {
    const size = head.readUInt32LE(at + 4);
    const id = head.toString('latin1', at, at + 4);
    if (id === 'data') return bytesPerSecond && bytes / bytesPerSecond;
    if (id === 'fmt ') {
      if (bytesPerSecond !== undefined) return undefined;
      bytesPerSecond = wavRate(head.subarray(at + 8, at + 8 + size));
      if (bytesPerSecond === undefined) return undefined;
    }
    at += 8 + size + (size % 2);
  }
  return undefined;
}

/** Returns the bytes of a second; undefined without a usable header. */
function wavRate(header: Buffer): number | undefined {
  if (header.length < FORMAT_BYTES) return undefined;
  const isExtensible = header.readUInt16LE(0) === EXTENSIBLE;
  if (isExtensible && header.length < EXTENSIBLE_BYTES) return undefined;
  const format = header.readUInt16LE(isExtensible ? 24 : 0);
  const channels = header.readUInt16LE(2);
  const rate = header.readUInt32LE(4);
  const bits = header.readUInt16LE(14);
  // Some decoders take the valid bits for the size of a sample. Zero: all are.
  const validBits = (isExtensible && header.readUInt16LE(18)) || bits;
  if (!SAMPLED.has(format) || !SAMPLE_BITS.has(bits)) return undefined;
  if (channels === 0 || channels > MAX_CHANNELS || rate === 0 || rate > MAX_SAMPLE_RATE) return undefined;
  const sampleBytes = BYTE_SAMPLED.has(format) ? 1 : Math.ceil(Math.min(bits, validBits) / 8);
  return rate * channels * sampleBytes;
}

/** Bits 11 and 12 of an MP3 header; 1 is reserved. */
const SAMPLE_RATES: Readonly<Record<number, readonly number[]>> = {
  3: [44_100, 48_000, 32_000],
  2: [22_050, 24_000, 16_000],
  0: [11_025, 12_000, 8_000],
};
const KBITS_MPEG1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KBITS_MPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const LAYER_3 = 1;

interface Frame {
  /** All frames of a file share it. */
  readonly rate: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** Returns the MP3 frame that begins there; undefined if none does. Frames of a free bit rate have no size. */
function frameAt(audio: Buffer, at: number): Frame | undefined {
  if (at + 4 > audio.length || audio[at] !== 0xff || (audio[at + 1]! & 0xe0) !== 0xe0) return undefined;
  const version = (audio[at + 1]! >> 3) & 3;
  const layer = (audio[at + 1]! >> 1) & 3;
  const rate = SAMPLE_RATES[version]?.[(audio[at + 2]! >> 2) & 3];
  const kbits = (version === 3 ? KBITS_MPEG1 : KBITS_MPEG2)[audio[at + 2]! >> 4];
  if (layer !== LAYER_3 || !rate || !kbits) return undefined;
  const samples = version === 3 ? 1_152 : 576;
  const padding = (audio[at + 2]! >> 1) & 1;
  return { rate, bytes: Math.floor((samples * kbits * 125) / rate) + padding, seconds: samples / rate };
}

/**
 * Adds up the frames that follow one another, and the other bytes at the lowest rate. After a gap, a decoder may find other frames than
 * this function: those within what only looks like a frame. Undefined if something else than zeros precedes the frames, such as the
 * start of another format.
 */
function mp3Seconds(audio: Buffer): number | undefined {
  const start = afterTag(audio);
  let at = start;
  while (audio[at] === 0) at++;
  const first = frameAt(audio, at);
  if (!first) return undefined;
  let seconds = (at - start) / LOWEST_BYTES_PER_SECOND;
  for (let frame: Frame | undefined = first; frame?.rate === first.rate; frame = frameAt(audio, at)) {
    seconds += frame.seconds;
    at += frame.bytes;
  }
  return seconds + Math.max(0, audio.length - at) / LOWEST_BYTES_PER_SECOND;
}

/**
 * Returns where the audio begins after an ID3 tag, whose size has seven bits a byte. A tag that is longer than the file, or that decoders
 * may refuse and read as audio, is none.
 */
function afterTag(audio: Buffer): number {
  if (audio.toString('latin1', 0, 3) !== 'ID3' || audio.length < 10) return 0;
  const [version, revision, flags, ...size] = audio.subarray(3, 10);
  if (version! < 2 || version! > 4 || revision === 0xff || (flags! & 15) !== 0) return 0;
  if (size.some((byte) => byte > 127)) return 0;
  const end = 10 + size.reduce((sum, byte) => sum * 128 + byte, 0);
  return end < audio.length ? end : 0;
}
