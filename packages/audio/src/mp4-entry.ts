import { rateOfStreamInfo } from './flac';
import { aac, alac, frames, MP3, OPUS, type PacketTimer, pcm, UNKNOWN, wholeFlac } from './packets';

/** Of an entry of a sound track: its head, the reference to its data, and its common members (ISO/IEC 14496-12, 12.2.3). */
const ENTRY_BYTES = 36;
/** The second version of QuickTime's, which has a rate of 64 bits. */
const ENTRY_V2_BYTES = 72;

/** Bytes of a sample, at the most; those with a list have what the entry says, up to it. */
const PCM_BYTES: Readonly<Record<string, number>> = {
  ...{ 'raw ': 1, ulaw: 1, alaw: 1, in24: 3, in32: 4, fl32: 4, fl64: 8 },
};
const SIZED_PCM_BYTES: Readonly<Record<string, number>> = { sowt: 2, twos: 2, lpcm: 8, ipcm: 4, fpcm: 8 };
const AMR_SECONDS = 0.02;
const AMR_SIZES = { smallest: 1, largest: 61 };
const AC3_SAMPLES = 1_536;
const AC3_SIZES = { smallest: 16, largest: 4_096 };
const AC3_MIN_RATE = 32_000;
/** Types of MPEG audio within `mp4a` (mp4ra.org). */
const MPEG_AUDIO = new Set([0x69, 0x6b]);
const AAC = new Set([0x40, 0x66, 0x67, 0x68]);

/** Returns how long the samples of an entry of `stsd` last; undefined for pictures and text. @param isSound by the track's handler */
export function entryTimer(type: string, entry: Buffer, isSound: boolean): PacketTimer | undefined {
  if (entry.length < ENTRY_BYTES) return isSound ? UNKNOWN : undefined;
  return knownTimer(type, entry) ?? (isSound ? UNKNOWN : undefined);
}

function knownTimer(type: string, entry: Buffer): PacketTimer | undefined {
  const { rate, channels, bits } = formatOf(entry);
  const pcmBytes = PCM_BYTES[type] ?? sizedBytes(SIZED_PCM_BYTES[type], bits);
  if (pcmBytes) return pcm(rate, pcmBytes * channels);
  switch (type) {
    case 'mp4a':
      return mp4aTimer(entry, rate);
    case '.mp3':
      return MP3;
    case 'Opus':
      return OPUS;
    case 'ac-3':
    case 'ec-3':
      return frames(AC3_SAMPLES, Math.min(rate, AC3_MIN_RATE), AC3_SIZES);
    case 'samr':
    case 'sawb':
      return amrTimer(Math.max(1, content(entry, 'damr')[8] ?? 1));
    case 'alac':
      // After the version of the box.
      return alac(content(entry, 'alac').subarray(4));
    case 'fLaC':
      return flacTimer(content(entry, 'dfLa'));
    default:
      return undefined;
  }
}

function formatOf(entry: Buffer) {
  if (entry.readUInt16BE(16) === 2 && entry.length >= ENTRY_V2_BYTES)
    return {
      rate: entry.readDoubleBE(40),
      channels: entry.readUInt32BE(48) || 1,
      bits: entry.readUInt32BE(56),
    };
  const channels = entry.readUInt16BE(24) || 1;
  return { rate: entry.readUInt16BE(32), channels, bits: entry.readUInt16BE(26) };
}

const sizedBytes = (atMost: number | undefined, bits: number): number | undefined =>
  atMost && Math.min(atMost, Math.max(1, Math.ceil(bits / 8)));

/** Returns the content of a box within an entry, wherever it is; empty without one. */
function content(entry: Buffer, type: string): Buffer {
  // After the type of the entry itself, which may be the same.
  const at = entry.indexOf(type, ENTRY_BYTES, 'latin1');
  return at < 0 ? Buffer.alloc(0) : entry.subarray(at + 4);
}

/** By the descriptors of `esds` (ISO/IEC 14496-1, 7.2.6): type of the codec, and its configuration. */
function mp4aTimer(entry: Buffer, rate: number): PacketTimer {
  const esds = content(entry, 'esds').subarray(4);
  let type = 0x40;
  let config: Buffer = Buffer.alloc(0);
  for (let at = 0; at < esds.length; ) {
    const tag = esds[at++]!;
    let bytes = 0;
    for (let more = true; more && at < esds.length; at++) {
      bytes = bytes * 128 + (esds[at]! & 127);
      more = (esds[at]! & 128) !== 0;
    }
    if (tag === 3) at += 3;
    else if (tag === 4) {
      type = esds[at] ?? 0;
      at += 13;
    } else {
      if (tag === 5) config = esds.subarray(at, at + bytes);
      at += bytes;
    }
  }
  if (MPEG_AUDIO.has(type)) return MP3;
  return AAC.has(type) ? aac(config, rate) : UNKNOWN;
}

/** @param count frames of a packet */
const amrTimer = (count: number): PacketTimer =>
  frames(count, 1 / AMR_SECONDS, {
    smallest: count * AMR_SIZES.smallest,
    largest: count * AMR_SIZES.largest,
  });

/** @param info the version of the box, the header of a metadata block, and STREAMINFO, which may claim any size of blocks */
const flacTimer = (info: Buffer): PacketTimer =>
  info.length < 21 ? UNKNOWN : wholeFlac(rateOfStreamInfo(info.subarray(8)));
