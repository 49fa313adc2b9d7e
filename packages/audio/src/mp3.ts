import type { ByteInput } from './byte-input';
import { type Duration, longer, unreadable } from './duration';
import { FrameChain } from './frame-chain';
import { ADTS_HEADER_BYTES, adtsFrameAt, type MpegFrame, mpegFrameAt } from './mpeg-frame';

/** Of the lowest rate of MPEG audio, 8 kbit/s. */
export const LOWEST_BYTES_PER_SECOND = 1_000;
const SYNC = 0xff;

type FrameAt = (audio: Buffer, at: number) => MpegFrame | undefined;

/**
 * Returns the duration of the frames of MP3. Undefined if something else than zeros precedes them, such as the start of another format.
 */
export function* mp3Duration(input: ByteInput): Generator<void, Duration | undefined> {
  yield* skipTags(input);
  const start = input.offset;
  yield* skipZeros(input);
  return mpegFrameAt(input.window, input.at) && (yield* framesDuration(input, start, mpegFrameAt));
}

/** Reads what an upload of MP3 may also be: AAC with ADTS headers, which decoders find after anything. */
export function* mpegDuration(input: ByteInput): Generator<void, Duration> {
  const start = input.offset;
  yield* skipZeros(input);
  if (mpegFrameAt(input.window, input.at)) return yield* framesDuration(input, start, mpegFrameAt);
  if (adtsFrameAt(input.window, input.at)) return yield* framesDuration(input, start, adtsFrameAt);
  return longer(yield* framesDuration(input, start, mpegFrameAt), unreadable(input.totalBytes));
}

/**
 * Adds up the frames that follow one another, which all decoders find, and after a gap or another sample rate the longest choice of frames.
 * Bytes that are not frames count too if they are most of the file, as what they last at the lowest rate: a decoder may find something else.
 * For the maximum, all that does not follow counts so, because some decoders take frames of a free bit rate.
 * @param start position of the first byte that counts
 */
function* framesDuration(input: ByteInput, start: number, frameAt: FrameAt): Generator<void, Duration> {
  const before = input.offset - start;
  const following = yield* followingFrames(input, frameAt);
  const end = Math.min(input.offset, input.totalBytes);
  const scattered = yield* scatteredFrames(input, end);
  const restSeconds = (before + input.totalBytes - end) / LOWEST_BYTES_PER_SECOND;
  const frameBytes = end - start - before + scattered.bytes;
  const otherBytes = input.totalBytes - start - frameBytes;
  const otherSeconds = otherBytes > frameBytes ? otherBytes / LOWEST_BYTES_PER_SECOND : 0;
  const seconds = following + scattered.seconds + otherSeconds;
  return { seconds, maxSeconds: Math.max(seconds, following + restSeconds) };
}

/** Of the same sample rate. */
function* followingFrames(input: ByteInput, frameAt: FrameAt): Generator<void, number> {
  let seconds = 0;
  let rate: number | undefined;
  while (
    input.available >= ADTS_HEADER_BYTES ||
    (yield* input.fill(ADTS_HEADER_BYTES)) ||
    input.available > 0
  ) {
    const frame = frameAt(input.window, input.at);
    if (!frame || (rate !== undefined && frame.rate !== rate)) break;
    rate = frame.rate;
    seconds += frame.packedSeconds ?? frame.seconds;
    input.skip(frame.bytes);
  }
  return seconds;
}

/**
 * Returns how long frames anywhere last, in one of the two formats, and how many bytes those of both cover.
 * @param start position after the frames that precede
 */
function* scatteredFrames(
  input: ByteInput,
  start: number,
): Generator<void, { seconds: number; bytes: number }> {
  const mpeg = new FrameChain(start);
  const adts = new FrameChain(start);
  let bytes = 0;
  let coveredTo = start;
  /** Position from which on all bytes are zero. */
  let zerosFrom = start;
  while (input.available > 0 || (yield* input.fill(1))) {
    const { window, at, offset } = input;
    const sync = window[at] === SYNC ? at : window.indexOf(SYNC, at);
    const next = sync < 0 ? window.length : sync;
    const other = lastOther(window, at, next);
    if (other >= at) zerosFrom = offset + other - at + 1;
    input.skip(next - at);
    if (sync < 0) continue;
    if (input.available < ADTS_HEADER_BYTES) yield* input.fill(ADTS_HEADER_BYTES);
    const mpegFrame = mpegFrameAt(input.window, input.at);
    const frame = mpegFrame ?? adtsFrameAt(input.window, input.at);
    if (mpegFrame) {
      // A frame alone within other bytes is not decoded.
      const counts =
        mpeg.endedSince(zerosFrom, input.offset) || (yield* isFollowed(input, mpegFrame, mpegFrameAt));
      mpeg.add(input.offset, mpegFrame, counts ? mpegFrame.seconds : 0);
    } else if (frame) {
      // By chance, a frame of any size begins in other content.
      const isPacked = frame.packedSeconds && (yield* isFollowed(input, frame, adtsFrameAt));
      adts.add(input.offset, frame, isPacked ? frame.packedSeconds : frame.seconds);
    }
    if (frame) {
      const end = Math.min(input.offset + frame.bytes, input.totalBytes);
      bytes += Math.max(0, end - Math.max(coveredTo, input.offset));
      coveredTo = Math.max(coveredTo, end);
    }
    input.skip(1);
    zerosFrom = input.offset;
  }
  return { seconds: Math.max(mpeg.seconds, adts.seconds), bytes };
}

/** Returns the position of the last byte that is not zero; before `start` if all are. */
function lastOther(bytes: Buffer, start: number, end: number): number {
  let at = end - 1;
  while (at >= start && bytes[at] === 0) at--;
  return at;
}

function* isFollowed(input: ByteInput, { bytes }: MpegFrame, frameAt: FrameAt): Generator<void, boolean> {
  const until = bytes + ADTS_HEADER_BYTES;
  if (input.available < until) yield* input.fill(until);
  return frameAt(input.window, input.at + bytes) !== undefined;
}

/** Also waits for what follows, up to a header. */
function* skipZeros(input: ByteInput): Generator<void, void> {
  while (input.available > 0 || (yield* input.fill(1))) {
    if (input.window[input.at] !== 0) break;
    input.skip(1);
  }
  yield* input.fill(ADTS_HEADER_BYTES);
}

const TAG_HEAD_BYTES = 10;

/** Skips ID3 tags, whose size has seven bits a byte. A tag that is longer than the file, or that decoders may refuse and read as audio, is none. */
export function* skipTags(input: ByteInput): Generator<void, void> {
  while (yield* input.fill(TAG_HEAD_BYTES)) {
    const bytes = tagBytes(input.window.subarray(input.at, input.at + TAG_HEAD_BYTES));
    if (bytes === 0 || input.offset + bytes >= input.totalBytes) return;
    input.skip(bytes);
  }
}

function tagBytes(head: Buffer): number {
  if (head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const [version, revision, flags, ...size] = head.subarray(3, TAG_HEAD_BYTES);
  if (version! < 2 || version! > 4 || revision === 0xff || (flags! & 15) !== 0) return 0;
  if (size.some((byte) => byte > 127)) return 0;
  return TAG_HEAD_BYTES + size.reduce((sum, byte) => sum * 128 + byte, 0);
}
