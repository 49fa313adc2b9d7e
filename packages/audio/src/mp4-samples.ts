import { types } from 'node:util';
import type { ByteInput } from './byte-input';
import { headBytesOf, type Packets, type PacketTimer } from './packets';

/** Whether it says that a box is too short, or its tables can't be read. */
export const isRangeError = (error: unknown): boolean =>
  types.isNativeError(error) && error.name === 'RangeError';

/** A packet of a track: where it is in the file. */
export interface Sample {
  readonly at: number;
  readonly bytes: number;
}

/** Contents of the boxes that tell where the samples of a track are (ISO/IEC 14496-12, 8.7). */
export interface SampleTables {
  readonly sizes: Buffer;
  readonly chunks: Buffer;
  /** Positions have 64 bits. */
  readonly isLong: boolean;
  readonly perChunk: Buffer;
}

/** Returns the samples in the order of the tables. @throws RangeError for tables that are too short */
export function* samplesOfTables({ sizes, chunks, isLong, perChunk }: SampleTables): Generator<Sample> {
  const size = sizes.readUInt32BE(4);
  const samples = sizes.readUInt32BE(8);
  const entries = perChunk.readUInt32BE(4);
  let sample = 0;
  for (let chunk = 0, entry = 0; chunk < chunks.readUInt32BE(4) && sample < samples; chunk++) {
    // The first entry is that of the first chunk.
    while (entry + 1 < entries && perChunk.readUInt32BE(8 + (entry + 1) * 12) <= chunk + 1) entry++;
    let at = isLong ? Number(chunks.readBigUInt64BE(8 + chunk * 8)) : chunks.readUInt32BE(8 + chunk * 4);
    for (let left = perChunk.readUInt32BE(12 + entry * 12); left > 0 && sample < samples; left--) {
      const bytes = size || sizes.readUInt32BE(12 + sample * 4);
      yield { at, bytes };
      at += bytes;
      sample++;
    }
  }
}

/** A track of a fragment, and where its samples are. */
export interface Fragment {
  readonly track: number;
  /** Position of the fragment's box. */
  readonly at: number;
  /** Whether it is the first one in the box, from which positions count if nothing else is said. */
  readonly isFirst: boolean;
  readonly header: Buffer;
  readonly runs: readonly Buffer[];
  /** Of each sample, if neither the header nor a run has a size. */
  readonly defaultBytes: number;
}

const BASE_POSITION = 1;
const DESCRIPTION = 2;
const DEFAULT_DURATION = 8;
const DEFAULT_SIZE = 0x10;
const BASE_IS_BOX = 0x20000;

/** Returns the samples of a fragment (ISO/IEC 14496-12, 8.8). @throws RangeError for boxes that are too short or say no position */
export function* samplesOfFragment(fragment: Fragment): Generator<Sample> {
  const { header, runs, isFirst } = fragment;
  const flags = header.readUIntBE(1, 3);
  if (!isFirst && (flags & (BASE_POSITION | BASE_IS_BOX)) === 0) throw new RangeError('position');
  const base = flags & BASE_POSITION ? Number(header.readBigUInt64BE(8)) : fragment.at;
  const size = defaultBytesOf(fragment);
  let at = base;
  for (const run of runs) {
    const samples = new Run(run);
    if (samples.position !== undefined) at = base + samples.position;
    for (let sample = 0; sample < samples.count; sample++) {
      const bytes = samples.hasSizes ? samples.sizeOf(sample) : size;
      yield { at, bytes };
      at += bytes;
    }
  }
}

/** Returns the size of each sample that has none of its own. */
function defaultBytesOf({ header, defaultBytes }: Fragment): number {
  const flags = header.readUIntBE(1, 3);
  const sizeAt =
    8 + (flags & BASE_POSITION ? 8 : 0) + (flags & DESCRIPTION ? 4 : 0) + (flags & DEFAULT_DURATION ? 4 : 0);
  return flags & DEFAULT_SIZE ? header.readUInt32BE(sizeAt) : defaultBytes;
}

/** Returns the packets of a fragment. @throws RangeError for boxes that are too short */
export function packetsOfFragment(fragment: Fragment): Packets {
  const size = defaultBytesOf(fragment);
  let packets = NO_PACKETS;
  for (const content of fragment.runs) {
    const run = new Run(content);
    const { count } = run;
    if (!run.hasSizes) packets = sumOf(packets, { count, bytes: count * size, longestBytes: size });
    else
      for (let sample = 0; sample < count; sample++) {
        const bytes = run.sizeOf(sample);
        packets = sumOf(packets, { count: 1, bytes, longestBytes: bytes });
      }
  }
  return packets;
}

export const NO_PACKETS: Packets = { count: 0, bytes: 0, longestBytes: 0 };

export const sumOf = (one: Packets, other: Packets): Packets => ({
  count: one.count + other.count,
  bytes: one.bytes + other.bytes,
  longestBytes: Math.max(one.longestBytes, other.longestBytes),
});

const RUN_POSITION = 1;
const RUN_FIRST_FLAGS = 4;
const RUN_DURATIONS = 0x100;
const RUN_SIZES = 0x200;
const RUN_FLAGS = 0x400;
const RUN_TIMES = 0x800;

/** The box `trun`. */
class Run {
  readonly #content: Buffer;
  readonly #flags: number;
  /** Of the size of the first sample, and from one to the next. */
  readonly #sizesAt: number;
  readonly #entryBytes: number;

  constructor(content: Buffer) {
    this.#content = content;
    this.#flags = content.readUIntBE(1, 3);
    this.#sizesAt = 8 + this.#bytesOf(RUN_POSITION, RUN_FIRST_FLAGS, RUN_DURATIONS);
    this.#entryBytes = this.#bytesOf(RUN_DURATIONS, RUN_SIZES, RUN_FLAGS, RUN_TIMES);
  }

  get count(): number {
    return this.#content.readUInt32BE(4);
  }

  get position(): number | undefined {
    return this.#flags & RUN_POSITION ? this.#content.readInt32BE(8) : undefined;
  }

  get hasSizes(): boolean {
    return (this.#flags & RUN_SIZES) !== 0;
  }

  sizeOf(sample: number): number {
    return this.#content.readUInt32BE(this.#sizesAt + sample * this.#entryBytes);
  }

  /** Of those members that it has. */
  #bytesOf(...members: readonly number[]): number {
    return 4 * members.filter((member) => (this.#flags & member) !== 0).length;
  }
}

/**
 * Reads the file again and adds up its samples by their first bytes. Undefined unless there are `count`, one after the other in the file:
 * what decoders read where samples overlap is not certain.
 */
export function* secondsOfSamples(
  input: ByteInput,
  samples: Iterable<Sample>,
  count: number,
  timer: PacketTimer,
): Generator<void, number | undefined> {
  yield* input.restart();
  let seconds = 0;
  let end = 0;
  let read = 0;
  try {
    for (const { at, bytes } of samples) {
      if (at < end || bytes === 0) return undefined;
      end = at + bytes;
      if (end > input.totalBytes || read++ === count) return undefined;
      input.skip(at - input.offset);
      yield* input.fill(Math.min(bytes, headBytesOf(timer)));
      const start = input.at;
      seconds += timer.secondsOf({
        buffer: input.window,
        at: start,
        end: Math.min(start + bytes, input.window.length),
        bytes,
      });
    }
  } catch (error) {
    if (isRangeError(error)) return undefined;
    throw error;
  }
  return read === count ? seconds : undefined;
}
