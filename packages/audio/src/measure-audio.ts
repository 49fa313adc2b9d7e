import { ByteInput } from './byte-input';
import type { Duration, DurationReader } from './duration';
import { flacDuration } from './flac';
import { matroskaDuration } from './matroska';
import { mp3Duration, taggedDuration } from './mp3';
import { mp4Duration } from './mp4';
import { oggDuration } from './ogg';
import { wavDuration } from './wav';

export const AUDIO_KINDS = ['flac', 'mp3', 'mp4', 'mpeg', 'ogg', 'wav', 'webm'] as const;
/** A format by the first bytes of a file. */
export type AudioKind = (typeof AUDIO_KINDS)[number];

/** An MPEG program stream is not read: its sound has at least 8 kbit/s. */
const MPEG_BYTES_PER_SECOND = 1_000;
/** Of files that can't be read: of the usual codecs, and below those of silence. */
const USUAL_BYTES_PER_SECOND = 1_000;
const LEAST_BYTES_PER_SECOND = 50;

const READERS: Readonly<Record<Exclude<AudioKind, 'mpeg'>, DurationReader>> = {
  flac: flacDuration,
  mp3: taggedDuration,
  mp4: mp4Duration,
  ogg: oggDuration,
  wav: wavDuration,
  webm: matroskaDuration,
};

/** Reads the duration of a file that arrives in pieces, by its frames. */
export class AudioMeasurement {
  readonly #input: ByteInput;
  readonly #reading: Iterator<void, Duration | undefined> | undefined;
  #isDone: boolean;
  #duration: Duration | undefined;

  constructor(kind: AudioKind, bytes: number) {
    this.#input = new ByteInput(bytes);
    this.#reading = kind === 'mpeg' ? undefined : READERS[kind](this.#input);
    this.#isDone = kind === 'mpeg';
    if (kind === 'mpeg') this.#duration = atRate(bytes, MPEG_BYTES_PER_SECOND);
  }

  /** Whether further pieces change nothing. */
  get isDone(): boolean {
    return this.#isDone;
  }

  push(piece: Buffer): void {
    this.#input.push(piece);
    this.#read();
  }

  /** Returns the duration after the last piece. */
  end(): Duration {
    this.#input.end();
    this.#read();
    return this.#duration ?? unreadable(this.#input.totalBytes);
  }

  #read(): void {
    if (this.#isDone) return;
    const { done, value } = this.#reading!.next();
    if (!done) return;
    this.#isDone = true;
    this.#duration = value;
  }
}

const atRate = (bytes: number, bytesPerSecond: number): Duration => ({
  seconds: bytes / bytesPerSecond,
  maxSeconds: bytes / bytesPerSecond,
});

const unreadable = (bytes: number): Duration => ({
  seconds: bytes / USUAL_BYTES_PER_SECOND,
  maxSeconds: bytes / LEAST_BYTES_PER_SECOND,
});

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
