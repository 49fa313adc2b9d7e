import type { ByteInput } from './byte-input';
import type { Duration } from './duration';
import { entryTimer } from './mp4-entry';
import { type PacketTimer, UNKNOWN } from './packets';

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
  /** Of all samples, if they differ. */
  bytes: number;
  chunks: number;
  /** Table of the samples in each chunk. */
  perChunk: Buffer | undefined;
  claimedSeconds: number;
}

/**
 * Counts the packets of each audio track of an MP4 file by its tables and fragments, and returns the longest track, whatever the headers
 * say about times. Undefined without usable tables.
 */
export function* mp4Duration(input: ByteInput): Generator<void, Duration | undefined> {
  const fragments = new Map<number, number>();
  let tracks: readonly Track[] | undefined;
  while (input.available > 0 || (yield* input.fill(1))) {
    yield* input.fill(LONG_HEAD_BYTES);
    const box = boxAt(input.window, input.at, input.totalBytes - input.offset);
    // Decoders stop here too, unless it is a box of tables that they read as far as it goes.
    if (!box && !/^moo[vf]$/.test(input.window.toString('latin1', input.at + 4, input.at + 8))) break;
    if (!box) return undefined;
    input.skip(box.headBytes);
    const bytes = box.bytes - box.headBytes;
    if (box.type === 'moov' || box.type === 'moof') {
      if (bytes > MAX_TABLES_BYTES || !(yield* input.fill(bytes))) return undefined;
      const content = Buffer.from(input.window.subarray(input.at, input.at + bytes));
      if (box.type === 'moof' && !addFragment(content, fragments)) return undefined;
      if (box.type === 'moov') {
        // Decoders differ in which of two they take.
        if (tracks) return undefined;
        tracks = readTracks(content);
        if (!tracks) return undefined;
      }
    }
    input.skip(bytes);
  }
  return tracks && longestOf(tracks, fragments, input.totalBytes);
}

function longestOf(
  tracks: readonly Track[],
  fragments: ReadonlyMap<number, number>,
  fileBytes: number,
): Duration | undefined {
  let seconds = 0;
  let maxSeconds = 0;
  for (const track of tracks) {
    const timer = timerOf(track);
    if (!timer) continue;
    const inTables = Math.max(track.samples, samplesOfChunks(track));
    const inFragments = fragments.get(track.id) ?? 0;
    if (inTables + inFragments === 0) continue;
    // Sizes within fragments are not read: all of the file may be theirs.
    const bytes = Math.max(track.bytes, inTables * track.sampleBytes) + (inFragments > 0 ? fileBytes : 0);
    const counted = Math.max(
      (inTables + inFragments) * timer.maxSeconds,
      timer.secondsOf({ buffer: NO_BYTES, at: 0, end: 0, bytes }),
    );
    seconds = Math.max(seconds, counted);
    maxSeconds = Math.max(maxSeconds, counted, track.claimedSeconds);
  }
  return seconds > 0 ? { seconds, maxSeconds } : undefined;
}

const NO_BYTES = Buffer.alloc(0);

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
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Returns the tracks of a file; undefined for tables that cannot be read. */
function readTracks(moov: Buffer): Track[] | undefined {
  const tracks: Track[] = [];
  const isRead = visitBoxes(moov, (type, content) => {
    if (type === 'trak') tracks.push(newTrack());
    const track = tracks.at(-1);
    if (track) MEMBERS[type]?.(track, content);
    if (type === 'cmov') throw new RangeError('compressed tables');
  });
  return isRead ? tracks : undefined;
}

const newTrack = (): Track => ({
  ...{ id: 0, isSound: false, entries: [], samples: 0, sampleBytes: 0, bytes: 0 },
  ...{ chunks: 0, perChunk: undefined, claimedSeconds: 0 },
});

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
    for (let at = 12; at + 4 <= content.length; at += 4) track.bytes += content.readUInt32BE(at);
  },
  stz2: (track, content) => {
    track.samples = Math.max(track.samples, content.readUInt32BE(8));
  },
  stco: (track, content) => {
    track.chunks = Math.max(track.chunks, content.readUInt32BE(4));
  },
  co64: (track, content) => {
    track.chunks = Math.max(track.chunks, content.readUInt32BE(4));
  },
  stsc: (track, content) => {
    if (track.perChunk) throw new RangeError('two tables of chunks');
    track.perChunk = content;
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

/** Adds the samples of a fragment's runs to those of their tracks. Returns false for boxes that cannot be read. */
function addFragment(moof: Buffer, fragments: Map<number, number>): boolean {
  let id = 0;
  return visitBoxes(moof, (type, content) => {
    if (type === 'tfhd') id = content.readUInt32BE(4);
    if (type === 'trun') fragments.set(id, (fragments.get(id) ?? 0) + content.readUInt32BE(4));
  });
}

/** Returns the timer with the longest packets of a track's entries; undefined for pictures and text. */
function timerOf({ entries, isSound }: Track): PacketTimer | undefined {
  let longest: PacketTimer | undefined;
  for (const stsd of entries)
    for (let at = 8; at + HEAD_BYTES <= stsd.length; ) {
      const box = boxAt(stsd, at, stsd.length - at);
      if (!box) break;
      const timer = entryTimer(box.type, stsd.subarray(at, at + box.bytes), isSound);
      if (timer && (!longest || timer.maxSeconds > longest.maxSeconds)) longest = timer;
      at += box.bytes;
    }
  return longest ?? (isSound ? UNKNOWN : undefined);
}
