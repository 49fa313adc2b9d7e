/** By bits 11 and 12 of a header; 1 is reserved. */
const SAMPLE_RATES: Readonly<Record<number, readonly number[]>> = {
  3: [44_100, 48_000, 32_000],
  2: [22_050, 24_000, 16_000],
  0: [11_025, 12_000, 8_000],
};
const MPEG1 = 3;
/** In kbit/s, by the layer; MPEG-2 has the same for layers II and III. */
const KBITS_MPEG1: Readonly<Record<number, readonly number[]>> = {
  1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
};
const KBITS_LAYER_1 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256];
const KBITS_MPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

export const HEADER_BYTES = 4;

export interface MpegFrame {
  /** In Hz; may change within a file. */
  readonly rate: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Of a frame that is larger than any: as many as its bytes may be. */
  readonly packedSeconds?: number;
}

/**
 * Returns the frame of MPEG audio that begins there; undefined if none does. Decoders of MP3, which is layer III, decode all layers.
 * Frames of a free bit rate have no size.
 */
export function mpegFrameAt(audio: Buffer, at: number): MpegFrame | undefined {
  if (at + HEADER_BYTES > audio.length || audio[at] !== 0xff || (audio[at + 1]! & 0xe0) !== 0xe0)
    return undefined;
  const version = (audio[at + 1]! >> 3) & 3;
  const layer = 4 - ((audio[at + 1]! >> 1) & 3);
  const rate = SAMPLE_RATES[version]?.[(audio[at + 2]! >> 2) & 3];
  const rates = version === MPEG1 ? KBITS_MPEG1[layer] : layer === 1 ? KBITS_LAYER_1 : KBITS_MPEG2;
  const kbits = rates?.[audio[at + 2]! >> 4];
  if (layer > 3 || !rate || !kbits) return undefined;
  const samples = layer === 1 ? 384 : layer === 2 || version === MPEG1 ? 1_152 : 576;
  // Layer I counts in slots of four bytes.
  const slotBytes = layer === 1 ? 4 : 1;
  const slots = Math.floor((samples * kbits * 125) / slotBytes / rate) + ((audio[at + 2]! >> 1) & 1);
  return { rate, bytes: slots * slotBytes, seconds: samples / rate };
}

/** Bytes of frames. Decoders read all frames of a packet, so one that is larger than any frame counts as the smallest ones. */
export interface FrameSizes {
  readonly smallest: number;
  readonly largest: number;
}

/** Of silence. */
const AAC_SMALLEST = 4;
/** 6,144 bits (ISO/IEC 14496-3, 4.5.3). */
const AAC_CHANNEL_BYTES = 768;
const AAC_CHANNELS = [8, 1, 2, 3, 4, 5, 6];

/** @param channels as AAC configures them; 0: not known. Stereo may be configured as mono. */
export const aacSizes = (channels: number): FrameSizes => ({
  smallest: AAC_SMALLEST,
  largest: AAC_CHANNEL_BYTES * Math.max(2, AAC_CHANNELS[channels] ?? 8),
});

const ADTS_SAMPLES = 1_024;
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
  const { smallest, largest } = aacSizes(((audio[at + 2]! & 1) << 2) | (audio[at + 3]! >> 6));
  const content = bytes - ADTS_HEADER_BYTES;
  const blocks = (audio[at + 6]! & 3) + 1;
  const seconds = (blocks * ADTS_SAMPLES) / rate;
  return content > blocks * largest
    ? { rate, bytes, seconds, packedSeconds: ((content / smallest) * ADTS_SAMPLES) / rate }
    : { rate, bytes, seconds };
}
