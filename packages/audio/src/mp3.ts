import type { ByteInput } from './byte-input';
import type { Duration } from './duration';
import { flacDuration } from './flac';
import { ADTS_HEADER_BYTES, adtsFrameAt, HEADER_BYTES, mpegFrameAt } from './mpeg-frame';

/** Of the lowest rate of MP3, 8 kbit/s. */
export const LOWEST_BYTES_PER_SECOND = 1_000;

/**
 * Adds up the frames that follow one another. What follows a gap or another sample rate counts as its frames, and for the maximum as what
 * its bytes last at the lowest rate: a decoder may find other frames, those within what only looks like a frame. Undefined if something
 * else than zeros precedes the frames, such as the start of another format.
 */
export function* mp3Duration(input: ByteInput): Generator<void, Duration | undefined> {
  const start = yield* skipTag(input);
  while (input.available > 0 || (yield* input.fill(1))) {
    if (input.window[input.at] !== 0) break;
    input.skip(1);
  }
  yield* input.fill(HEADER_BYTES);
  const first = mpegFrameAt(input.window, input.at);
  if (!first) return undefined;
  const gap = (input.offset - start) / LOWEST_BYTES_PER_SECOND;
  const seconds = gap + (yield* followingFrames(input, first.rate));
  const rest = Math.max(0, input.totalBytes - input.offset);
  const scattered = rest > 0 ? yield* scatteredFrames(input) : 0;
  return {
    seconds: seconds + scattered,
    maxSeconds: seconds + Math.max(scattered, rest / LOWEST_BYTES_PER_SECOND),
  };
}

/** Reads what an upload of MP3 may be: after a tag, decoders also find FLAC, and AAC with ADTS headers. */
export function* taggedDuration(input: ByteInput): Generator<void, Duration | undefined> {
  yield* skipTag(input);
  yield* input.fill(ADTS_HEADER_BYTES);
  if (input.window.toString('latin1', input.at, input.at + 4) === 'fLaC') return yield* flacDuration(input);
  const first = adtsFrameAt(input.window, input.at);
  return first ? yield* adtsDuration(input) : yield* mp3Duration(input);
}

/** Silence is short in AAC: what follows a gap is not bounded by its bytes, so frames are searched everywhere. */
function* adtsDuration(input: ByteInput): Generator<void, Duration> {
  let seconds = 0;
  while (input.available >= ADTS_HEADER_BYTES || (yield* input.fill(ADTS_HEADER_BYTES))) {
    const frame = adtsFrameAt(input.window, input.at);
    seconds += frame?.seconds ?? 0;
    input.skip(frame?.bytes ?? 1);
  }
  return { seconds, maxSeconds: seconds };
}

/** @param rate of the frames, in Hz; without it, they may have any */
function* followingFrames(input: ByteInput, rate?: number): Generator<void, number> {
  let seconds = 0;
  while (input.available >= HEADER_BYTES || (yield* input.fill(HEADER_BYTES))) {
    const frame = mpegFrameAt(input.window, input.at);
    if (!frame || (rate !== undefined && frame.rate !== rate)) break;
    seconds += frame.seconds;
    input.skip(frame.bytes);
  }
  return seconds;
}

/** Frames after a gap or a change of the sample rate, which decoders follow; each is followed by another one, of any rate. */
function* scatteredFrames(input: ByteInput): Generator<void, number> {
  let seconds = 0;
  while (input.available >= HEADER_BYTES || (yield* input.fill(HEADER_BYTES))) {
    const frame = mpegFrameAt(input.window, input.at);
    if (
      frame &&
      (yield* input.fill(frame.bytes + HEADER_BYTES)) &&
      mpegFrameAt(input.window, input.at + frame.bytes)
    ) {
      seconds += yield* followingFrames(input);
      continue;
    }
    const sync = input.window.indexOf(0xff, input.at + 1);
    input.skip((sync < 0 ? input.window.length : sync) - input.at);
  }
  return seconds;
}

/**
 * Skips an ID3 tag, whose size has seven bits a byte, and returns the position after it. A tag that is longer than the file, or that
 * decoders may refuse and read as audio, is none.
 */
function* skipTag(input: ByteInput): Generator<void, number> {
  if (yield* input.fill(10)) {
    const end = endOfTag(input.window.subarray(input.at, input.at + 10));
    if (input.offset + end < input.totalBytes) input.skip(end);
  }
  return input.offset;
}

function endOfTag(head: Buffer): number {
  if (head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const [version, revision, flags, ...size] = head.subarray(3, 10);
  if (version! < 2 || version! > 4 || revision === 0xff || (flags! & 15) !== 0) return 0;
  if (size.some((byte) => byte > 127)) return 0;
  return 10 + size.reduce((sum, byte) => sum * 128 + byte, 0);
}
