/** Bits 11 and 12 of a header; 1 is reserved. */
const SAMPLE_RATES: Readonly<Record<number, readonly number[]>> = {
  3: [44_100, 48_000, 32_000],
  2: [22_050, 24_000, 16_000],
  0: [11_025, 12_000, 8_000],
};
const KBITS_MPEG1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KBITS_MPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const LAYER_3 = 1;

export const HEADER_BYTES = 4;

export interface MpegFrame {
  /** In Hz; may change within a file. */
  readonly rate: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** Returns the MP3 frame that begins there; undefined if none does. Frames of a free bit rate have no size. */
export function mpegFrameAt(audio: Buffer, at: number): MpegFrame | undefined {
  if (at + HEADER_BYTES > audio.length || audio[at] !== 0xff || (audio[at + 1]! & 0xe0) !== 0xe0)
    return undefined;
  const version = (audio[at + 1]! >> 3) & 3;
  const layer = (audio[at + 1]! >> 1) & 3;
  const rate = SAMPLE_RATES[version]?.[(audio[at + 2]! >> 2) & 3];
  const kbits = (version === 3 ? KBITS_MPEG1 : KBITS_MPEG2)[audio[at + 2]! >> 4];
  if (layer !== LAYER_3 || !rate || !kbits) return undefined;
  const samples = version === 3 ? 1_152 : 576;
  const padding = (audio[at + 2]! >> 1) & 1;
  return { rate, bytes: Math.floor((samples * kbits * 125) / rate) + padding, seconds: samples / rate };
}

const ADTS_RATES = [
  ...[96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000],
  ...[22_050, 16_000, 12_000, 11_025, 8_000, 7_350],
];
export const ADTS_HEADER_BYTES = 7;

/** Returns the frame of AAC with ADTS headers that begins there (ISO/IEC 13818-7, 6.2); undefined if none does. */
export function adtsFrameAt(audio: Buffer, at: number): MpegFrame | undefined {
  if (at + ADTS_HEADER_BYTES > audio.length || audio[at] !== 0xff || (audio[at + 1]! & 0xf6) !== 0xf0)
    return undefined;
  const rate = ADTS_RATES[(audio[at + 2]! >> 2) & 15];
  const bytes = ((audio[at + 3]! & 3) << 11) | (audio[at + 4]! << 3) | (audio[at + 5]! >> 5);
  if (!rate || bytes < ADTS_HEADER_BYTES) return undefined;
  const blocks = (audio[at + 6]! & 3) + 1;
  return { rate, bytes, seconds: (blocks * 1_024) / rate };
}
