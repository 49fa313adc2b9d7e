import type { ByteInput } from './byte-input';
import type { Duration } from './duration';
import { entryTimer } from './mp4-entry';
import {
  type Fragment,
  isRangeError,
  NO_PACKETS,
  packetsOfFragment,
  type Sample,
  samplesOfFragment,
  samplesOfTables,
  secondsOfSamples,
  sumOf,
} from './mp4-samples';
import { type Packets, type PacketTimer, totalSeconds, UNKNOWN } from './packets';

const HEAD_BYTES = 8;
const LONG_HEAD_BYTES = 16;
/** Four hours of AAC have a quarter of this. */
const MAX_TABLES_BYTES = 4 * 1024 * 1024;
const MAX_BOXES = 10_000;
/** Boxes that contain boxes, wherever they are (ISO/IEC 14496-12, 6.2). */
const PARENTS = new Set(['trak', 'mdia', 'minf', 'stbl', 'edts', 'udta', 'mvex', 'traf', 'moov', 'moof']);
const MAX_DEPTH = 8;

/** What the boxes of a track say. */
interface Track {
  id: number;
  isSound: boolean;
  /** Tables of codecs. */
  readonly entries: Buffer[];
  /** By the table of sizes. */
  samples: number;
  /** Of each sample; 0: they differ. */
  sampleBytes: number;
  /** Of all samples, and of the longest one, if they differ. */
  bytes: number;
  longestBytes: number;
  chunks: number;
  /** Table of the samples in each chunk. */
  perChunk: Buffer | undefined;
  /** Tables by their types. */
  readonly tables: Map<string, Buffer>;
  claimedSeconds: number;
}

/** What the fragments of a file say. */
interface Fragments {
  /** By track. */
  readonly packets: Map<number, Packets>;
  /** In the order of the file; undefined if they are too large to keep. */
  kept: Fragment[] | undefined;
  keptBytes: number;
}

/**
 * Counts the packets of each audio track of an MP4 file by its tables and fragments, and returns the longest track, whatever the headers
 * say about times. Packets of Opus, MP3 and FLAC are read for it, in a second pass. Undefined without usable tables.
 */
export function* mp4Duration(input: ByteInput): Generator<void, Duration | undefined> {
  const fragments: Fragments = { packets: new Map(), kept: [], keptBytes: 0 };
  let movie: Movie | undefined;
  while (input.available > 0 || (yield* input.fill(1))) {
    yield* input.fill(LONG_HEAD_BYTES);
    const start = input.offset;
    const box = boxAt(input.window, input.at, input.totalBytes - start);
    // Decoders stop here too, unless it is a box of tables that they read as far as it goes.
    if (!box && !/^moo[vf]$/.test(input.window.toString('latin1', input.at + 4, input.at + 8))) break;
    if (!box) return undefined;
    input.skip(box.headBytes);
    const bytes = box.bytes - box.headBytes;
    if (box.type === 'moov' || box.type === 'moof') {
      if (bytes > MAX_TABLES_BYTES || !(yield* input.fill(bytes))) return undefined;
      const content = Buffer.from(input.window.subarray(input.at, input.at + bytes));
      if (box.type === 'moof' && !addFragments(content, start, movie, fragments)) return undefined;
      if (box.type === 'moov') {
        // Decoders differ in which of two they take.
        if (movie) return undefined;
        movie = readMovie(content);
        if (!movie) return undefined;
      }
    }
    input.skip(bytes);
  }
  return movie && (yield* longestOf(input, soundsOf(movie.tracks, fragments, input.totalBytes), fragments));
}

/** The packets of a track. */
interface Sound {
  readonly track: Track;
  /** Of its entry with the longest packets. */
  readonly timer: PacketTimer;
  /** Whether its packets tell how long each is: with several entries, some may be of another codec. */
  readonly isByHead: boolean;
  readonly packets: Packets;
}

function soundsOf(tracks: readonly Track[], fragments: Fragments, fileBytes: number): Sound[] {
  return tracks.flatMap((track) => {
    const timers = timersOf(track);
    const [timer] = timers.toSorted((one, other) => other.maxSeconds - one.maxSeconds);
    const isByHead = timers.length === 1 && timer?.isByHead === true;
    const count = Math.max(track.samples, samplesOfChunks(track));
    const inTables: Packets = {
      count,
      bytes: Math.max(track.bytes, count * track.sampleBytes),
      longestBytes: Math.max(track.longestBytes, track.sampleBytes),
    };
    const inFragments = fragments.packets.get(track.id);
    // Sizes within fragments may be wrong: all of the file may be theirs.
    const packets = inFragments ? sumOf(inTables, { ...inFragments, bytes: fileBytes }) : inTables;
    return timer && packets.count > 0 ? [{ track, timer, isByHead, packets }] : [];
  });
}

function* longestOf(
  input: ByteInput,
  sounds: readonly Sound[],
  { kept }: Fragments,
): Generator<void, Duration | undefined> {
  // More than one would be read once each.
  const [byHead, ...others] = sounds.filter(({ isByHead }) => isByHead);
  let seconds = 0;
  let maxSeconds = 0;
  for (const sound of sounds) {
    const { track, timer, packets } = sound;
    const read =
      kept && sound === byHead && others.length === 0
        ? yield* secondsOfSamples(input, samplesOf(track, kept), packets.count, timer)
        : undefined;
    // How many frames its packets have is not known.
    if (read === undefined && timer.headBytes) return undefined;
    const counted = read ?? totalSeconds(timer, packets);
    seconds = Math.max(seconds, counted);
    maxSeconds = Math.max(maxSeconds, counted, track.claimedSeconds);
  }
  return seconds > 0 ? { seconds, maxSeconds } : undefined;
}

/** @throws RangeError for tables that are too short */
function* samplesOf({ id, tables }: Track, fragments: readonly Fragment[]): Generator<Sample> {
  const sizes = tables.get('stsz');
  const chunks = tables.get('co64') ?? tables.get('stco');
  const perChunk = tables.get('stsc');
  if (sizes && chunks && perChunk && !(tables.has('co64') && tables.has('stco')))
    yield* samplesOfTables({ sizes, chunks, isLong: tables.has('co64'), perChunk });
  for (const fragment of fragments) if (fragment.track === id) yield* samplesOfFragment(fragment);
}

interface Box {
  readonly type: string;
  readonly headBytes: number;
  /** With its head. */
  readonly bytes: number;
}

/** Returns the box that begins there; undefined if it does not end within the next `leftBytes`. */
function boxAt(buffer: Buffer, at: number, leftBytes: number): Box | undefined {
  if (at + HEAD_BYTES > buffer.length) return undefined;
  const type = buffer.toString('latin1', at + 4, at + HEAD_BYTES);
  const short = buffer.readUInt32BE(at);
  if (short === 1 && at + LONG_HEAD_BYTES > buffer.length) return undefined;
  const headBytes = short === 1 ? LONG_HEAD_BYTES : HEAD_BYTES;
  const bytes =
    short === 1 ? Number(buffer.readBigUInt64BE(at + HEAD_BYTES)) : short === 0 ? leftBytes : short;
  return bytes >= headBytes && bytes <= leftBytes ? { type, headBytes, bytes } : undefined;
}

type Visitor = (type: string, content: Buffer) => void;

/** Calls `visit` for each box within, and for those within parents. Returns false for boxes that cannot be read. */
function visitBoxes(parent: Buffer, visit: Visitor): boolean {
  let boxes = 0;
  const walk = (within: Buffer, depth: number): boolean => {
    for (let at = 0; at + HEAD_BYTES <= within.length; ) {
      const box = boxAt(within, at, within.length - at);
      if (!box || ++boxes > MAX_BOXES || depth > MAX_DEPTH) return false;
      const content = within.subarray(at + box.headBytes, at + box.bytes);
      visit(box.type, content);
      // The data of users may be followed by something else.
      if (PARENTS.has(box.type) && !walk(content, depth + 1) && box.type !== 'udta') return false;
      at += box.bytes;
    }
    return true;
  };
  try {
    return walk(parent, 0);
  } catch (error) {
    if (isRangeError(error)) return false;
    throw error;
  }
}

interface Movie {
  readonly tracks: readonly Track[];
  /** Sizes of the samples of fragments, by track. */
  readonly defaultBytes: ReadonlyMap<number, number>;
}

/** Returns the tracks of a file; undefined for tables that cannot be read. */
function readMovie(moov: Buffer): Movie | undefined {
  const tracks: Track[] = [];
  const defaultBytes = new Map<number, number>();
  const isRead = visitBoxes(moov, (type, content) => {
    if (type === 'trak') tracks.push(newTrack());
    if (type === 'trex') defaultBytes.set(content.readUInt32BE(4), content.readUInt32BE(16));
    const track = tracks.at(-1);
    if (track) MEMBERS[type]?.(track, content);
    if (type === 'cmov') throw new RangeError('compressed tables');
  });
  return isRead ? { tracks, defaultBytes } : undefined;
}

const newTrack = (): Track => ({
  ...{ id: 0, isSound: false, entries: [], samples: 0, sampleBytes: 0, bytes: 0, longestBytes: 0 },
  ...{ chunks: 0, perChunk: undefined, tables: new Map(), claimedSeconds: 0 },
});

function addSize(track: Track, bytes: number): void {
  track.bytes += bytes;
  track.longestBytes = Math.max(track.longestBytes, bytes);
}

/** Keeps a table by which the samples are found. Decoders differ in which of two they take. */
function keep(track: Track, type: string, content: Buffer): void {
  track.tables.set(type, track.tables.has(type) ? Buffer.alloc(0) : content);
}

/** What the boxes within a track add to it. */
const MEMBERS: Readonly<Record<string, (track: Track, content: Buffer) => void>> = {
  tkhd: (track, content) => {
    track.id = content.readUInt32BE(content[0] === 1 ? 20 : 12);
  },
  mdhd: (track, content) => {
    track.claimedSeconds = Math.max(track.claimedSeconds, claimOf(content));
  },
  hdlr: (track, content) => {
    track.isSound ||= content.toString('latin1', 8, 12) === 'soun';
  },
  stsd: (track, content) => {
    track.entries.push(content);
  },
  stsz: (track, content) => {
    track.samples = Math.max(track.samples, content.readUInt32BE(8));
    track.sampleBytes = Math.max(track.sampleBytes, content.readUInt32BE(4));
    for (let at = 12; at + 4 <= content.length; at += 4) addSize(track, content.readUInt32BE(at));
    keep(track, 'stsz', content);
  },
  stz2: (track, content) => {
    track.samples = Math.max(track.samples, content.readUInt32BE(8));
    // Of half a byte, of one, or of two, which alone may be more than a frame has.
    if (content[7] === 16)
      for (let at = 12; at + 2 <= content.length; at += 2) addSize(track, content.readUInt16BE(at));
  },
  stco: (track, content) => {
    track.chunks = Math.max(track.chunks, content.readUInt32BE(4));
    keep(track, 'stco', content);
  },
  co64: (track, content) => {
    track.chunks = Math.max(track.chunks, content.readUInt32BE(4));
    keep(track, 'co64', content);
  },
  stsc: (track, content) => {
    if (track.perChunk) throw new RangeError('two tables of chunks');
    track.perChunk = content;
    keep(track, 'stsc', content);
  },
};

/** Returns the duration that the header of a track claims. */
function claimOf(mdhd: Buffer): number {
  const isLong = mdhd[0] === 1;
  const scale = mdhd.readUInt32BE(isLong ? 20 : 12);
  const units = isLong ? Number(mdhd.readBigUInt64BE(24)) : mdhd.readUInt32BE(16);
  // All bits set: not known.
  return scale === 0 || units >= (isLong ? 2 ** 64 : 2 ** 32 - 1) ? 0 : units / scale;
}

/** Each entry of the table counts for the chunks up to the next one. */
function samplesOfChunks({ perChunk, chunks }: Track): number {
  if (!perChunk || perChunk.length < 8) return 0;
  const entries = Math.min(perChunk.readUInt32BE(4), Math.floor((perChunk.length - 8) / 12));
  let samples = 0;
  for (let entry = 0; entry < entries; entry++) {
    const at = 8 + entry * 12;
    const first = perChunk.readUInt32BE(at);
    const next = entry + 1 < entries ? perChunk.readUInt32BE(at + 12) : chunks + 1;
    samples += Math.max(0, Math.min(next, chunks + 1) - first) * perChunk.readUInt32BE(at + 4);
  }
  return samples;
}

/**
 * Adds the samples of a box of fragments to those of their tracks. Returns false for boxes that cannot be read.
 * @param at its position
 */
function addFragments(moof: Buffer, at: number, movie: Movie | undefined, fragments: Fragments): boolean {
  const added: (Fragment & { readonly runs: Buffer[] })[] = [];
  const isRead = visitBoxes(moof, (type, content) => {
    if (type === 'tfhd') {
      const track = content.readUInt32BE(4);
      const defaultBytes = movie?.defaultBytes.get(track) ?? 0;
      added.push({ track, at, isFirst: added.length === 0, header: content, runs: [], defaultBytes });
    }
    if (type !== 'trun') return;
    const fragment = added.at(-1);
    if (!fragment) throw new RangeError('a run without a header');
    fragment.runs.push(content);
  });
  if (!isRead) return false;
  try {
    for (const fragment of added) {
      const { track } = fragment;
      const packets = packetsOfFragment(fragment);
      fragments.packets.set(track, sumOf(fragments.packets.get(track) ?? NO_PACKETS, packets));
    }
  } catch (error) {
    if (isRangeError(error)) return false;
    throw error;
  }
  fragments.keptBytes += moof.length;
  if (fragments.keptBytes > MAX_TABLES_BYTES) fragments.kept = undefined;
  fragments.kept?.push(...added);
  return true;
}

/** Returns the timers of a track's entries; none for pictures and text. */
function timersOf({ entries, isSound }: Track): PacketTimer[] {
  const timers: PacketTimer[] = [];
  for (const stsd of entries)
    for (let at = 8; at + HEAD_BYTES <= stsd.length; ) {
      const box = boxAt(stsd, at, stsd.length - at);
      if (!box) break;
      const timer = entryTimer(box.type, stsd.subarray(at, at + box.bytes), isSound);
      if (timer) timers.push(timer);
      at += box.bytes;
    }
  return timers.length > 0 || !isSound ? timers : [UNKNOWN];
}
