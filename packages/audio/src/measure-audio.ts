import { ByteInput } from './byte-input';
import { type Duration, type DurationReader, exactly, unreadable } from './duration';
import { flacDuration } from './flac';
import { matroskaDuration } from './matroska';
import { LOWEST_BYTES_PER_SECOND, mp3Duration, mpegDuration, skipTags } from './mp3';
import { mp4Duration } from './mp4';
import { oggDuration } from './ogg';
import { wavDuration } from './wav';

export const AUDIO_KINDS = ['flac', 'mp3', 'mp4', 'mpeg', 'ogg', 'wav', 'webm'] as const;
/** A format by the first bytes of a file. */
export type AudioKind = (typeof AUDIO_KINDS)[number];

const READERS: Readonly<Record<AudioKind, DurationReader>> = {
  flac: flacDuration,
  mp3: taggedDuration,
  mp4: mp4Duration,
  mpeg: programDuration,
  ogg: oggDuration,
  wav: wavDuration,
  webm: matroskaDuration,
};

/** The formats that decoders also find after an ID3 tag, by their first bytes, and those of MP4 after four others. */
const TAGGED: Readonly<Record<string, DurationReader>> = {
  fLaC: flacDuration,
  OggS: oggDuration,
  RIFF: wavDuration,
  ftyp: mp4Duration,
  '\x1a\x45\xdf\xa3': matroskaDuration,
};
const MAGIC_BYTES = 4;

function* taggedDuration(input: ByteInput): Generator<void, Duration | undefined> {
  yield* skipTags(input);
  yield* input.fill(2 * MAGIC_BYTES);
  const magicAt = (at: number) => input.window.toString('latin1', input.at + at, input.at + at + MAGIC_BYTES);
  const reader = TAGGED[magicAt(0)] ?? TAGGED[magicAt(MAGIC_BYTES)] ?? mpegDuration;
  return yield* reader(input);
}

/** The packets of an MPEG program stream are not read: its sound has at least 8 kbit/s, or is frames between their headers. */
function* programDuration(input: ByteInput): Generator<void, Duration> {
  const { seconds } = yield* mpegDuration(input);
  return exactly(Math.max(seconds, input.totalBytes / LOWEST_BYTES_PER_SECOND));
}

/** Reads the duration of a file that arrives in pieces, by its frames. */
export class AudioMeasurement {
  readonly #input: ByteInput;
  readonly #reading: Iterator<void, Duration | undefined>;
  #isDone = false;
  #duration: Duration | undefined;

  constructor(kind: AudioKind, bytes: number) {
    this.#input = new ByteInput(bytes);
    this.#reading = READERS[kind](this.#input);
  }

  /** Whether further pieces change nothing. */
  get isDone(): boolean {
    return this.#isDone;
  }

  push(piece: Buffer): void {
    this.#input.push(piece);
    this.#read();
  }

  /** Returns the duration after the last piece; undefined if all pieces are needed once more, because tables are behind what they tell of. */
  end(): Duration | undefined {
    this.#input.end();
    this.#read();
    return this.#isDone ? (this.#duration ?? unreadable(this.#input.totalBytes)) : undefined;
  }

  #read(): void {
    if (this.#isDone) return;
    const { done, value } = this.#reading.next();
    if (!done) return;
    this.#isDone = true;
    this.#duration = value;
  }
}

/**
 * Returns the maximum duration in seconds of WAV or MP3 audio; undefined if its content does not bound it.
 * @param head its first bytes, for WAV up to its samples; for MP3 all of it
 */
export function maxSecondsOf(kind: 'wav' | 'mp3', head: Buffer, bytes: number): number | undefined {
  const input = new ByteInput(bytes);
  input.push(head);
  input.end();
  const { value } = (kind === 'wav' ? wavDuration : mp3Duration)(input).next();
  return value ? value.maxSeconds : undefined;
}
