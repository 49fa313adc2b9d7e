import { flacFrameSeconds } from './flac';
import { aacSizes, type FrameSizes, mpegFrameAt } from './mpeg-frame';

/** A packet of a container; its first bytes are in `buffer` from `at` to `end`. */
export interface Packet {
  readonly buffer: Buffer;
  readonly at: number;
  readonly end: number;
  /** Of the whole packet. */
  readonly bytes: number;
}

/** How long the packets of a codec last. */
export interface PacketTimer {
  /** @returns seconds, exactly or at the most */
  secondsOf(packet: Packet): number;
  /** Of any packet, if its bytes are not at hand. */
  readonly maxSeconds: number;
  /** @returns seconds of packets whose bytes are not at hand */
  totalSeconds?(packets: Packets): number;
  /** Whether the first bytes of a packet tell how long it lasts, which differs from one packet to the next. */
  readonly isByHead?: true;
  /** Bytes of a packet that it reads, if they are more than the first few: a packet may have several frames. */
  readonly headBytes?: number;
}

/** Several packets. */
export interface Packets {
  readonly count: number;
  /** Of all. */
  readonly bytes: number;
  readonly longestBytes: number;
}

export const totalSeconds = (timer: PacketTimer, packets: Packets): number =>
  timer.totalSeconds?.(packets) ?? packets.count * timer.maxSeconds;

/** Bytes of a packet that most timers read. */
const HEAD_BYTES = 16;

export const headBytesOf = ({ headBytes = HEAD_BYTES }: PacketTimer): number => headBytes;

const fixed = (seconds: number): PacketTimer => ({ secondsOf: () => seconds, maxSeconds: seconds });

/** The longest frames of speech and music codecs; a longer packet has more of them, or samples. */
const UNKNOWN_SECONDS = 0.128;
const UNKNOWN_BYTES_PER_SECOND = 1_000;
export const UNKNOWN: PacketTimer = {
  secondsOf: ({ bytes }) => Math.max(UNKNOWN_SECONDS, bytes / UNKNOWN_BYTES_PER_SECOND),
  maxSeconds: UNKNOWN_SECONDS,
  totalSeconds: ({ count, bytes }) => Math.max(count * UNKNOWN_SECONDS, bytes / UNKNOWN_BYTES_PER_SECOND),
};

const MAX_OPUS_MS = 120;
const CELT_MS = [2.5, 5, 10, 20];
const SILK_MS = [10, 20, 40, 60];

/** By the first bytes of a packet (RFC 6716, 3.1 and 3.2). */
export const OPUS: PacketTimer = {
  maxSeconds: MAX_OPUS_MS / 1_000,
  isByHead: true,
  secondsOf({ buffer, at, end }) {
    if (at >= end) return 0;
    const toc = buffer[at]!;
    const config = toc >> 3;
    const frameMs =
      config < 12 ? SILK_MS[config & 3]! : config < 16 ? SILK_MS[config & 1]! : CELT_MS[config & 3]!;
    const code = toc & 3;
    const frames = code === 0 ? 1 : code < 3 ? 2 : at + 1 < end ? buffer[at + 1]! & 63 : 0;
    // A longer packet is invalid; so are the tags of a file.
    return frameMs * frames > MAX_OPUS_MS ? 0 : (frameMs * frames) / 1_000;
  },
};

/** @param head the identification header of Vorbis; each packet counts as half of its longer block, the most that one adds */
export function vorbis(head: Buffer): PacketTimer {
  if (head.length < 29) return UNKNOWN;
  const rate = head.readUInt32LE(12);
  const longBlock = 1 << (head[28]! >> 4);
  if (rate === 0) return UNKNOWN;
  const seconds = longBlock / 2 / rate;
  const isAudio = ({ buffer, at, end }: Packet) => at < end && (buffer[at]! & 1) === 0;
  return { secondsOf: (packet) => (isAudio(packet) ? seconds : 0), maxSeconds: seconds };
}

/** @param head the header of Speex (speex.org/docs/manual: "Ogg file format") */
export function speex(head: Buffer): PacketTimer {
  if (head.length < 68) return UNKNOWN;
  const rate = head.readUInt32LE(36);
  const mode = head.readUInt32LE(40);
  const frame = Math.max(head.readUInt32LE(56), mode < 3 ? 160 << mode : 0);
  const frames = Math.max(1, head.readUInt32LE(64));
  return rate === 0 ? UNKNOWN : fixed((frame * frames) / rate);
}

/** The longest frame of FLAC, and the smallest one, which is silent. */
const FLAC_SAMPLES = 65_536;
const FLAC_SMALLEST = 11;
/** Of each sample: eight channels of four bytes. */
const FLAC_SAMPLE_BYTES = 32;
const FLAC_HEAD_BYTES = 128;
/** Of the longest frame that decoders of streams take (RFC 9639, 7). */
const STREAMABLE_SAMPLES = 16_384;
/** A file may claim a higher rate than its frames have. */
const FLAC_RATE = 48_000;

const largestFlac = (samples: number): number => samples * FLAC_SAMPLE_BYTES + FLAC_HEAD_BYTES;

/** By the first frame of a packet. */
export const flac = (rate: number): PacketTimer =>
  rate === 0
    ? UNKNOWN
    : {
        secondsOf({ buffer, at, end, bytes }) {
          const seconds = flacFrameSeconds(buffer.subarray(0, end), at, rate);
          const largest = largestFlac(seconds * Math.min(rate, FLAC_RATE));
          return bytes > largest ? (bytes / FLAC_SMALLEST) * seconds : seconds;
        },
        maxSeconds: FLAC_SAMPLES / rate,
        isByHead: true,
      };

/** By all frames of a packet, which decoders read. One that is larger than any frame counts as many. */
export function wholeFlac(rate: number): PacketTimer {
  if (rate === 0) return UNKNOWN;
  const first = flac(rate);
  const headBytes = largestFlac(STREAMABLE_SAMPLES);
  return {
    ...first,
    headBytes,
    secondsOf(packet) {
      if (packet.bytes > headBytes) return (packet.bytes / FLAC_SMALLEST) * first.maxSeconds;
      let seconds = first.secondsOf(packet);
      const frames = packet.buffer.subarray(0, packet.end);
      for (let at = frames.indexOf(0xff, packet.at + 1); at >= 0; at = frames.indexOf(0xff, at + 1))
        seconds += flacFrameSeconds(frames, at, rate);
      return seconds;
    },
  };
}

/** Decoders take another rate in the place of one that no file has. */
const MAX_PCM_RATE = 768_000;

/** @param bytes of a sample of all channels, which is a packet of MP4 */
export const pcm = (rate: number, bytes: number): PacketTimer =>
  rate > 0 && rate <= MAX_PCM_RATE && bytes > 0
    ? {
        secondsOf: (packet) => packet.bytes / bytes / rate,
        maxSeconds: 1 / rate,
        totalSeconds: (packets) => Math.max(packets.count, packets.bytes / bytes) / rate,
      }
    : UNKNOWN;

/** What follows a frame of MPEG audio within its packet may be frames of the lowest rate. */
const MPEG_BYTES_PER_SECOND = 1_000;
/** The longest frame of MPEG audio, of layer II at 8 kHz, and the largest one, at 160 kbit/s. */
const MPEG_SECONDS = 0.144;
const MPEG_BYTES = 2_881;

export const MP3: PacketTimer = {
  secondsOf({ buffer, at, end, bytes }) {
    const frame = mpegFrameAt(buffer.subarray(0, end), at);
    if (!frame) return Math.max(UNKNOWN_SECONDS, bytes / MPEG_BYTES_PER_SECOND);
    return frame.seconds + Math.max(0, bytes - frame.bytes) / MPEG_BYTES_PER_SECOND;
  },
  maxSeconds: MPEG_SECONDS,
  totalSeconds: ({ count, bytes, longestBytes }) =>
    longestBytes > MPEG_BYTES
      ? Math.max(count * MPEG_SECONDS, bytes / MPEG_BYTES_PER_SECOND)
      : count * MPEG_SECONDS,
  isByHead: true,
};

/** Frames of so many samples, one in each packet. */
export function frames(samples: number, rate: number, sizes?: FrameSizes): PacketTimer {
  if (!(rate > 0)) return UNKNOWN;
  const seconds = samples / rate;
  if (!sizes) return fixed(seconds);
  const within = (bytes: number) => (bytes / sizes.smallest) * seconds;
  return {
    secondsOf: ({ bytes }) => (bytes > sizes.largest ? within(bytes) : seconds),
    maxSeconds: seconds,
    totalSeconds: ({ count, bytes, longestBytes }) =>
      longestBytes > sizes.largest ? Math.max(count * seconds, within(bytes)) : count * seconds,
  };
}

/** @param config ALACSpecificConfig: samples of a frame, and at its end the rate */
export const alac = (config: Buffer): PacketTimer =>
  config.length < 24 ? UNKNOWN : frames(config.readUInt32BE(0), config.readUInt32BE(20));

const AAC_RATES = [
  ...[96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000],
  ...[22_050, 16_000, 12_000, 11_025, 8_000, 7_350],
];
const AAC_SAMPLES = 1_024;
const ESCAPED_TYPE = 31;
const ESCAPED_RATE = 15;
/** Unified speech and audio coding, with up to 4,096 samples a frame. */
const USAC = 42;
const USAC_SAMPLES = 4_096;

/** @param config AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1) @param entryRate in case that it is missing */
export function aac(config: Buffer, entryRate: number): PacketTimer {
  if (config.length < 2) return frames(AAC_SAMPLES, entryRate, aacSizes(0));
  let bitAt = 0;
  const bits = (count: number): number => {
    let value = 0;
    for (const end = bitAt + count; bitAt < end; bitAt++)
      value = value * 2 + (((config[bitAt >> 3] ?? 0) >> (7 - (bitAt & 7))) & 1);
    return value;
  };
  let type = bits(5);
  if (type === ESCAPED_TYPE) type = 32 + bits(6);
  const index = bits(4);
  const rate = index === ESCAPED_RATE ? bits(24) : AAC_RATES[index];
  return type === USAC ? frames(USAC_SAMPLES, rate ?? 0) : frames(AAC_SAMPLES, rate ?? 0, aacSizes(bits(4)));
}
