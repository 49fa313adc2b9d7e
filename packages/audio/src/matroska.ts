import type { ByteInput } from './byte-input';
import type { Duration } from './duration';
import { rateOfStreamInfo } from './flac';
import {
  aac,
  alac,
  frames,
  headBytesOf,
  MP3,
  OPUS,
  type PacketTimer,
  pcm,
  totalSeconds,
  UNKNOWN,
  vorbis,
  wholeFlac,
} from './packets';

/** Elements (RFC 9559, 5.1). */
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const CLUSTER_TIME = 0xe7;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const SIMPLE_BLOCK = 0xa3;
const ENCRYPTED_BLOCK = 0xaf;
const INFO = 0x1549a966;
const TIMESTAMP_SCALE = 0x2ad7b1;
const TRACKS = 0x1654ae6b;
const TRACK = 0xae;
const TRACK_NUMBER = 0xd7;
const TRACK_TYPE = 0x83;
const CODEC = 0x86;
const CODEC_PRIVATE = 0x63a2;
const ENCODINGS = 0x6d80;
const AUDIO = 0xe1;
const SAMPLE_RATE = 0xb5;
const OUTPUT_RATE = 0x78b5;
const CHANNELS = 0x9f;
const BIT_DEPTH = 0x6264;

const PARENTS = new Set([SEGMENT, CLUSTER, BLOCK_GROUP, INFO, TRACKS]);
const BLOCKS = new Set([BLOCK, SIMPLE_BLOCK, ENCRYPTED_BLOCK]);
const AUDIO_TYPE = 2;
const MAX_TRACK_BYTES = 1024 * 1024;
const MAX_TRACKS = 256;
const MAX_DEPTH = 16;
const DEFAULT_SCALE_NS = 1_000_000;
const UNKNOWN_SIZE = Number.POSITIVE_INFINITY;

interface Track {
  readonly timer: PacketTimer;
  seconds: number;
}

interface Element {
  readonly id: number;
  readonly headBytes: number;
  /** Of its content. */
  readonly bytes: number;
}

/**
 * Adds up the packets of each audio track of a Matroska or WebM file, and returns the longest track. The maximum is at least what the time
 * stamps of the blocks span, because pauses may have no packets. Undefined for a file whose structure decoders may read in another way.
 */
export function* matroskaDuration(input: ByteInput): Generator<void, Duration | undefined> {
  const tracks = new Map<number, Track>();
  const times = new BlockTimes();
  const ends: number[] = [];
  let blockBytes = MAX_SIZES_BYTES;
  for (let element = yield* readElement(input); element; element = yield* readElement(input)) {
    const { id, bytes, headBytes } = element;
    const headAt = input.offset - headBytes;
    const end = input.offset + bytes;
    while (ends.length > 0 && ends.at(-1)! <= headAt) ends.pop();
    if (ends.length > 0 && end > ends.at(-1)! && bytes !== UNKNOWN_SIZE) return undefined;
    if (PARENTS.has(id)) {
      if (bytes !== UNKNOWN_SIZE) ends.push(end);
      if (ends.length > MAX_DEPTH) return undefined;
      continue;
    }
    if (bytes === UNKNOWN_SIZE) return undefined;
    if (id === TRACK) {
      if (bytes > MAX_TRACK_BYTES || tracks.size === MAX_TRACKS || !(yield* input.fill(bytes)))
        return undefined;
      if (!addTrack(tracks, input.window.subarray(input.at, input.at + bytes))) return undefined;
      for (const { timer } of tracks.values()) blockBytes = Math.max(blockBytes, headBytesOf(timer));
    } else if (BLOCKS.has(id)) {
      yield* input.fill(Math.min(bytes, BLOCK_HEAD_BYTES + blockBytes));
      addBlock(tracks, times, input, bytes);
    } else if (id === CLUSTER_TIME || id === TIMESTAMP_SCALE) {
      if (bytes > 8 || !(yield* input.fill(bytes))) return undefined;
      const value = unsigned(input.window.subarray(input.at, input.at + bytes));
      if (id === CLUSTER_TIME) times.cluster = value;
      else times.scaleNs = value;
    }
    input.skip(bytes);
  }
  if (input.offset < input.totalBytes || tracks.size === 0) return undefined;
  const seconds = [...tracks.values()].reduce((longest, track) => Math.max(longest, track.seconds), 0);
  return { seconds, maxSeconds: Math.max(seconds, times.spanSeconds) };
}

/** Times of the blocks of audio tracks. */
class BlockTimes {
  cluster = 0;
  scaleNs = DEFAULT_SCALE_NS;
  #first = Number.POSITIVE_INFINITY;
  #last = 0;

  add(time: number): void {
    this.#first = Math.min(this.#first, this.cluster + time);
    this.#last = Math.max(this.#last, this.cluster + time);
  }

  get spanSeconds(): number {
    return (Math.max(0, this.#last - this.#first) * this.scaleNs) / 1e9;
  }
}

/** Track number of up to eight bytes, time, flags, and the number of laced frames. */
const BLOCK_HEAD_BYTES = 8 + 2 + 1 + 1;
/** The bits of a block's flags for its kind of lacing; EBML lacing if both are set (RFC 9559, 10.3). */
const LACED = 6;
const XIPH_LACING = 2;
const FIXED_LACING = 4;
/** Of the sizes of up to 256 frames, which are more than what most timers read. */
const MAX_SIZES_BYTES = 2_048;

function addBlock(tracks: Map<number, Track>, times: BlockTimes, input: ByteInput, bytes: number): void {
  const { window: buffer, at: start } = input;
  const end = Math.min(buffer.length, start + bytes);
  const numberBytes = Math.clz32(buffer[start]! << 24) + 1;
  const timeAt = start + numberBytes;
  const at = timeAt + 3;
  if (at > end || numberBytes > 8) return;
  const track = tracks.get(vintOf(buffer, start, numberBytes));
  if (!track) return;
  times.add(buffer.readInt16BE(timeAt));
  const lacing = buffer[at - 1]! & LACED;
  const { timer } = track;
  const content = start + bytes - at;
  if (lacing === 0 || timer.headBytes) track.seconds += timer.secondsOf({ buffer, at, end, bytes: content });
  else {
    const count = (buffer[at] ?? 0) + 1;
    const longestBytes = longestLaced(buffer.subarray(at + 1, end), lacing, count, content - 1);
    track.seconds += totalSeconds(timer, { count, bytes: content, longestBytes });
  }
}

/**
 * Returns the size of the longest of laced frames; that of all if their sizes can't be read or are more than there is.
 * @param sizes where those of all frames but the last begin @param bytes of them and the frames
 */
function longestLaced(sizes: Buffer, lacing: number, count: number, bytes: number): number {
  if (lacing === FIXED_LACING) return bytes / count;
  let at = 0;
  let size = 0;
  let left = bytes;
  let longest = 0;
  for (let frame = 0; frame < count - 1; frame++) {
    const sizeAt = at;
    if (lacing === XIPH_LACING) {
      while (sizes[at] === 255) at++;
      size = (at - sizeAt) * 255 + (sizes[at++] ?? 0);
    } else {
      at += Math.clz32((sizes[at] ?? 0) << 24) + 1;
      if (at - sizeAt > 8 || at > sizes.length) return bytes;
      const value = vintOf(sizes, sizeAt, at - sizeAt);
      size = frame === 0 ? value : size + value - (2 ** (7 * (at - sizeAt) - 1) - 1);
    }
    left -= at - sizeAt + size;
    if (at > sizes.length || size < 0 || left < 0) return bytes;
    longest = Math.max(longest, size);
  }
  return Math.max(longest, left);
}

/** Returns false for a second track of the same number. */
function addTrack(tracks: Map<number, Track>, entry: Buffer): boolean {
  const members = membersOf(entry);
  const number = unsigned(members.get(TRACK_NUMBER));
  const codec = members.get(CODEC)?.toString('latin1').replace(/\0+$/, '') ?? '';
  if (unsigned(members.get(TRACK_TYPE)) !== AUDIO_TYPE && !codec.startsWith('A_')) return true;
  if (tracks.has(number)) return false;
  // Compressed or stripped packets don't begin with their own bytes.
  const timer = members.has(ENCODINGS) ? UNKNOWN : timerOf(codec, members);
  tracks.set(number, { timer, seconds: 0 });
  return true;
}

function timerOf(codec: string, members: ReadonlyMap<number, Buffer>): PacketTimer {
  const head = members.get(CODEC_PRIVATE) ?? Buffer.alloc(0);
  const audio = membersOf(members.get(AUDIO) ?? Buffer.alloc(0));
  const ownRate = float(audio.get(SAMPLE_RATE)) ?? 8_000;
  // Decoders differ in which of the two they take.
  const rate = Math.min(ownRate, float(audio.get(OUTPUT_RATE)) || ownRate);
  if (codec === 'A_OPUS') return OPUS;
  // Three headers, after their number and the sizes of two.
  if (codec === 'A_VORBIS')
    return vorbis(head.subarray(Math.max(0, head.indexOf('\x01vorbis', 0, 'latin1'))));
  if (codec === 'A_FLAC' && head.length >= 21) return wholeFlac(rateOfStreamInfo(head.subarray(8)));
  if (codec.startsWith('A_AAC')) return aac(head, rate);
  if (codec === 'A_ALAC') return alac(head);
  if (codec === 'A_MPEG/L3') return MP3;
  if (codec === 'A_AC3' || codec === 'A_EAC3') return frames(1_536, Math.min(rate, 32_000));
  if (codec.startsWith('A_PCM/'))
    return pcm(rate, (unsigned(audio.get(CHANNELS)) || 1) * Math.ceil(unsigned(audio.get(BIT_DEPTH)) / 8));
  return UNKNOWN;
}

/** Waits for the head of an element and skips it. Returns undefined at the end, and for what is not an element. */
function* readElement(input: ByteInput): Generator<void, Element | undefined> {
  if (input.available < 12) yield* input.fill(12);
  const element = elementAt(input.window, input.at);
  if (!element) return undefined;
  input.skip(element.headBytes);
  return element;
}

function elementAt(buffer: Buffer, at: number): Element | undefined {
  const idBytes = Math.clz32(buffer[at]! << 24) + 1;
  const sizeAt = at + idBytes;
  if (at >= buffer.length || idBytes > 4 || sizeAt >= buffer.length) return undefined;
  const sizeBytes = Math.clz32(buffer[sizeAt]! << 24) + 1;
  if (sizeBytes > 8 || sizeAt + sizeBytes > buffer.length) return undefined;
  const size = vintOf(buffer, sizeAt, sizeBytes);
  return {
    id: buffer.readUIntBE(at, idBytes),
    bytes: size === 2 ** (7 * sizeBytes) - 1 ? UNKNOWN_SIZE : size,
    headBytes: idBytes + sizeBytes,
  };
}

/** Without the bit that tells its length. */
function vintOf(buffer: Buffer, at: number, bytes: number): number {
  let value = buffer[at]! & (0xff >> bytes);
  for (let index = 1; index < bytes; index++) value = value * 256 + buffer[at + index]!;
  // All bits of the longest number are more than a double has.
  return bytes === 8 && value >= 2 ** 56 - 1 ? 2 ** 56 - 1 : value;
}

function membersOf(parent: Buffer): ReadonlyMap<number, Buffer> {
  const members = new Map<number, Buffer>();
  for (let at = 0; at < parent.length; ) {
    const element = elementAt(parent, at);
    if (!element) break;
    const start = at + element.headBytes;
    members.set(element.id, parent.subarray(start, start + element.bytes));
    at = start + element.bytes;
  }
  return members;
}

function unsigned(bytes: Buffer | undefined): number {
  let value = 0;
  for (const byte of bytes ?? []) value = value * 256 + byte;
  return value;
}

const float = (bytes: Buffer | undefined): number | undefined =>
  bytes?.length === 4 ? bytes.readFloatBE() : bytes?.length === 8 ? bytes.readDoubleBE() : undefined;
