import type { ByteInput } from './byte-input';
import { type Duration, exactly } from './duration';
import { rateOfStreamInfo } from './flac';
import { flac, OPUS, type PacketTimer, SILENT, speex, UNKNOWN, vorbis } from './packets';

const PAGE_HEAD_BYTES = 27;
const CONTINUED = 1;
const FIRST_PAGE = 2;
/** Concurrent streams of a file; more are an attack on memory. */
const MAX_STREAMS = 1_000;

/**
 * Adds up the packets of all streams of an Ogg file (RFC 3533), whatever its pages say about their positions. Pages within pages count
 * too, because a decoder that refuses the outer one for its checksum finds them.
 */
export function* oggDuration(input: ByteInput): Generator<void, Duration | undefined> {
  const timers = new Map<number, PacketTimer>();
  let seconds = 0;
  while (input.available >= PAGE_HEAD_BYTES || (yield* input.fill(PAGE_HEAD_BYTES))) {
    const found = input.window.indexOf('OggS', input.at, 'latin1');
    if (found !== input.at) {
      input.skip(found < 0 ? Math.max(1, input.available - 3) : found - input.at);
      continue;
    }
    const segments = input.window[input.at + PAGE_HEAD_BYTES - 1]!;
    const headBytes = PAGE_HEAD_BYTES + segments;
    if (!(yield* input.fill(headBytes))) break;
    let bytes = headBytes;
    for (let at = input.at + PAGE_HEAD_BYTES; at < input.at + headBytes; at++) bytes += input.window[at]!;
    yield* input.fill(bytes);
    seconds += pageSeconds(input.window, input.at, segments, timers);
    if (timers.size > MAX_STREAMS) return undefined;
    input.skip(4);
  }
  return exactly(seconds);
}

function pageSeconds(
  page: Buffer,
  start: number,
  segments: number,
  timers: Map<number, PacketTimer>,
): number {
  const flags = page[start + 5]!;
  const serial = page.readUInt32LE(start + 14);
  const table = start + PAGE_HEAD_BYTES;
  let at = table + segments;
  let timer = (flags & FIRST_PAGE) === 0 ? timers.get(serial) : undefined;
  if (!timer) {
    timer = timerOf(page.subarray(at));
    timers.set(serial, timer);
    return 0;
  }
  let seconds = 0;
  let isStart = (flags & CONTINUED) === 0;
  let bytes = 0;
  for (let segment = 0; segment < segments; segment++) {
    const size = page[table + segment]!;
    bytes += size;
    // A packet ends with a segment that is not full, or goes on in the next page.
    if (size === 255 && segment < segments - 1) continue;
    if (isStart)
      seconds += timer.secondsOf({ buffer: page, at, end: Math.min(at + bytes, page.length), bytes });
    isStart = true;
    at += bytes;
    bytes = 0;
  }
  return seconds;
}

/** Streams of pictures, text, and of the file's structure. */
const WITHOUT_AUDIO = ['\x80theora', 'fishead\0', 'BBCD\0', 'OVP80', '\x80kate', 'CMML'];

/** @param packet the first of a stream, which names its codec */
function timerOf(packet: Buffer): PacketTimer {
  const starts = (magic: string) => packet.toString('latin1', 0, magic.length) === magic;
  if (starts('OpusHead')) return OPUS;
  if (starts('\x01vorbis')) return vorbis(packet);
  if (starts('Speex   ')) return speex(packet);
  if (starts('\x7fFLAC') && packet.length >= 13 + 4 + 13) return flac(rateOfStreamInfo(packet.subarray(17)));
  return WITHOUT_AUDIO.some(starts) ? SILENT : UNKNOWN;
}
