/** A file of audio in base64 is decoded up to here for its header. */
const MAX_HEAD_CHARS = 64 * 1024;
/** Of the lowest rate of MP3, 8 kbit/s. A WAV file of any other encoding than PCM has at least this too. */
const LOWEST_BYTES_PER_SECOND = 1_000;
/** Pauses at the edges, and rounding. */
const SPARE_SECONDS = 1;
/** Beyond this between two frames, the rest is not taken for MP3. */
const MAX_JUNK_BYTES = 4_096;

/**
 * Returns the maximum duration in seconds of WAV or MP3 audio; undefined for another format, whose bytes do not bound it. By its
 * samples or frames, and where these can't be read, at the lowest rate.
 * @param base64 in the standard or the URL alphabet
 */
export function maxAudioSeconds(base64: string): number | undefined {
  const head = Buffer.from(base64.slice(0, MAX_HEAD_CHARS), 'base64');
  const bytes = Math.ceil((base64.length * 3) / 4);
  if (isWav(head)) return (wavSeconds(head, bytes) ?? bytes / LOWEST_BYTES_PER_SECOND) + SPARE_SECONDS;
  if (!isMp3(head)) return undefined;
  return mp3Seconds(Buffer.from(base64, 'base64')) + SPARE_SECONDS;
}

const isWav = (head: Buffer): boolean =>
  head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WAVE';

const isMp3 = (head: Buffer): boolean =>
  head.toString('latin1', 0, 3) === 'ID3' || frameAt(head, 0) !== undefined;

/** Formats of WAV with samples of a fixed size: PCM, floating point, A-law, mu-law, and extensible, which is one of them. */
const SAMPLED = new Set([1, 3, 6, 7, 0xfffe]);
const EXTENSIBLE = 0xfffe;
const MAX_CHANNELS = 64;
const MAX_SAMPLE_RATE = 384_000;
const SAMPLE_BITS = new Set([8, 16, 24, 32, 64]);

/** Counts all bytes as samples, whatever the header says about their number. Undefined without a usable header. */
function wavSeconds(head: Buffer, bytes: number): number | undefined {
  for (let at = 12; at + 24 <= head.length; ) {
    const size = head.readUInt32LE(at + 4);
    const id = head.toString('latin1', at, at + 4);
    if (id === 'data') return undefined;
    if (id !== 'fmt ') {
      at += 8 + size + (size % 2);
      continue;
    }
    const [format, channels, rate, bits] = [
      head.readUInt16LE(at + 8),
      head.readUInt16LE(at + 10),
      head.readUInt32LE(at + 12),
      head.readUInt16LE(at + 22),
    ];
    const subformat = format === EXTENSIBLE && at + 34 <= head.length ? head.readUInt16LE(at + 32) : format;
    if (!SAMPLED.has(format) || !SAMPLED.has(subformat) || !SAMPLE_BITS.has(bits)) return undefined;
    if (channels === 0 || channels > MAX_CHANNELS || rate === 0 || rate > MAX_SAMPLE_RATE) return undefined;
    return bytes / (rate * channels * (bits / 8));
  }
  return undefined;
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
  return { bytes: Math.floor((samples * kbits * 125) / rate) + padding, seconds: samples / rate };
}

/** Adds up the frames, and the bytes outside of them at the lowest rate. */
function mp3Seconds(audio: Buffer): number {
  let seconds = 0;
  let junk = 0;
  let at = afterTag(audio);
  while (at < audio.length && junk <= MAX_JUNK_BYTES) {
    const frame = frameAt(audio, at);
    seconds += frame?.seconds ?? 0;
    junk = frame ? 0 : junk + 1;
    if (!frame) seconds += 1 / LOWEST_BYTES_PER_SECOND;
    at += frame?.bytes ?? 1;
  }
  return seconds + Math.max(0, audio.length - at) / LOWEST_BYTES_PER_SECOND;
}

/** Returns where the audio begins after an ID3 tag, whose size has seven bits a byte. A tag longer than the file is none. */
function afterTag(audio: Buffer): number {
  if (audio.toString('latin1', 0, 3) !== 'ID3' || audio.length < 10) return 0;
  const size =
    ((audio[6]! & 127) << 21) | ((audio[7]! & 127) << 14) | ((audio[8]! & 127) << 7) | (audio[9]! & 127);
  return 10 + size < audio.length ? 10 + size : 0;
}
