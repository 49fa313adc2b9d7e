import type { ByteInput } from './byte-input';
import { type Duration, exactly } from './duration';
import { rateOfStreamInfo } from './flac';
import { flac, OPUS, type Packet, type PacketTimer, speex, UNKNOWN, vorbis } from './packets';

const PAGE_HEAD_BYTES = 27;
const CONTINUED = 1;
/** Streams whose kind is remembered; packets of further ones count as those of a stream without a header. */
const MAX_STREAMS = 1_000;

/**
 * Adds up the packets of all streams of an Ogg file (RFC 3533), whatever its pages say about their positions. Pages within pages count
 * too, because a decoder that refuses the outer one for its checksum finds them. Undefined without packets of audio.
 */
export function* oggDuration(input: ByteInput): Generator<void, Duration | undefined> {
  const streams = new Streams();
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
    seconds += pageSeconds(input.window, input.at, segments, streams);
    input.skip(4);
  }
  return seconds > 0 ? exactly(seconds) : undefined;
}

function pageSeconds(page: Buffer, start: number, segments: number, streams: Streams): number {
  const serial = page.readUInt32LE(start + 14);
  const table = start + PAGE_HEAD_BYTES;
  let at = table + segments;
  let seconds = 0;
  let isStart = (page[start + 5]! & CONTINUED) === 0;
  let bytes = 0;
  for (let segment = 0; segment < segments; segment++) {
    const size = page[table + segment]!;
    bytes += size;
    // A packet ends with a segment that is not full, or goes on in the next page.
    if (size === 255 && segment < segments - 1) continue;
    if (isStart)
      seconds += streams.secondsOf(serial, {
        buffer: page,
        at,
        end: Math.min(at + bytes, page.length),
        bytes,
      });
    isStart = true;
    at += bytes;
    bytes = 0;
  }
  return seconds;
}

/** By the first bytes of a stream. */
const CODECS: Readonly<Record<string, (head: Buffer) => PacketTimer>> = {
  OpusHead: () => OPUS,
  '\x01vorbis': vorbis,
  'Speex   ': speex,
  '\x7fFLAC': (head) => (head.length < 13 + 4 + 13 ? UNKNOWN : flac(rateOfStreamInfo(head.subarray(17)))),
};
/** Streams of pictures, text, and of the file's structure. */
const WITHOUT_AUDIO = ['\x80theora', 'fishead\0', 'BBCD\0', 'OVP80', '\x80kate', 'CMML'];
const MAGICS = [...Object.keys(CODECS), ...WITHOUT_AUDIO];
const FIRST_BYTES = new Set(MAGICS.map((magic) => magic.charCodeAt(0)));

function magicOf({ buffer, at, end }: Packet): string | undefined {
  if (at >= end || !FIRST_BYTES.has(buffer[at]!)) return undefined;
  const head = buffer.toString('latin1', at, Math.min(end, at + 8));
  return MAGICS.find((magic) => head.startsWith(magic));
}

/**
 * The streams of a file, which may follow one another. A packet counts as the longest that any header of the file allows: at a further
 * header, and at pages of an unknown stream, some decoders go on with the codec and the header that they have.
 */
class Streams {
  readonly #codecs: { readonly name: string; timer: PacketTimer }[] = [];
  /** Whether it is audio, by serial number. */
  readonly #named = new Map<number, boolean>();
  #hasContent = false;

  secondsOf(serial: number, packet: Packet): number {
    const magic = magicOf(packet);
    if (magic) this.#name(serial, magic, packet);
    else this.#hasContent = true;
    const isAudio = this.#named.get(serial);
    if (isAudio === false) return 0;
    let seconds = isAudio ? 0 : UNKNOWN.secondsOf(packet);
    for (const { timer } of this.#codecs) seconds = Math.max(seconds, timer.secondsOf(packet));
    return seconds;
  }

  #name(serial: number, magic: string, { buffer, at, end }: Packet): void {
    const isAudio = magic in CODECS;
    const isKnown = this.#named.has(serial);
    // Streams without audio begin before the content of any.
    const isNamed = isAudio || (!isKnown && !this.#hasContent);
    if (isNamed && (isKnown || this.#named.size < MAX_STREAMS)) this.#named.set(serial, isAudio);
    if (!isAudio) return;
    const timer = CODECS[magic]!(buffer.subarray(at, end));
    const known = this.#codecs.find(({ name }) => name === magic);
    if (!known) this.#codecs.push({ name: magic, timer });
    else if (timer.maxSeconds > known.timer.maxSeconds) known.timer = timer;
  }
}
