import { maxSecondsOf, mpegFrameAt } from '@gateway/audio';

/** A file of audio in base64 is decoded up to here for its header. */
const MAX_HEAD_CHARS = 64 * 1024;
/** Of the lowest rate of MP3, 8 kbit/s. */
const LOWEST_BYTES_PER_SECOND = 1_000;
/** Pauses at the edges, and rounding. */
const SPARE_SECONDS = 1;

/**
 * Returns the maximum duration in seconds of WAV or MP3 audio, by its samples or frames; undefined for another format or encoding, whose
 * bytes do not bound it: seconds of silence may take a byte.
 * @param base64 in the standard or the URL alphabet
 * @param type name of the format or media type by which the audio will be decoded: content of another format is not WAV or MP3, because
 * a decoder skips its header. Absent: the content tells.
 */
export function maxAudioSeconds(base64: string, type?: string): number | undefined {
  const head = Buffer.from(base64.slice(0, MAX_HEAD_CHARS), 'base64');
  const bytes = Math.ceil((base64.length * 3) / 4);
  if (isWav(head)) {
    const seconds = isNamed(type, WAV_TYPE) ? maxSecondsOf('wav', head, bytes) : undefined;
    return seconds && seconds + SPARE_SECONDS;
  }
  if (!isMp3(head) || !isNamed(type, MP3_TYPE)) return undefined;
  const audio = Buffer.from(base64, 'base64');
  const seconds = maxSecondsOf('mp3', audio, audio.length);
  // Decoding ends at padding, which other decoders skip.
  return seconds && seconds + (bytes - audio.length) / LOWEST_BYTES_PER_SECOND + SPARE_SECONDS;
}

const WAV_TYPE = /^(audio\/)?(x-|vnd\.)?wave?$/i;
const MP3_TYPE = /^(audio\/)?(x-)?(mp3|mpeg3?|mpga)$/i;

const isNamed = (type: string | undefined, names: RegExp): boolean => type === undefined || names.test(type);

const isWav = (head: Buffer): boolean =>
  head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WAVE';

const isMp3 = (head: Buffer): boolean =>
  head.toString('latin1', 0, 3) === 'ID3' || mpegFrameAt(head, 0) !== undefined;
