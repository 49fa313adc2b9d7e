import { Readable } from 'node:stream';
import { type AudioKind, MIME_TYPES, type Upload } from '../domain/upload';

export interface AudioDuration {
  /** According to the file; if it does not say, the maximum. */
  readonly measuredMs: number;
  /** Bound, for the hold. */
  readonly maximumMs: number;
}

/** Longest time for reading a file; a server under load measures nothing then. */
const READ_MS = 5_000;
/** Providers count whole seconds, some by a decoder that pads the audio. */
const MARGIN_MS = 2_000;

/**
 * Bytes per second of each kind, at the least and at the most: speech codecs, and lossless or video formats. A duration beyond these
 * is not believed, so that a header which claims a second does not get an hour's audio transcribed.
 */
const RATES: Readonly<Record<AudioKind, readonly [least: number, most: number]>> = {
  flac: [1_000, 600_000],
  mp3: [1_000, 40_000],
  mp4: [1_000, 2_500_000],
  mpeg: [1_000, 2_500_000],
  ogg: [750, 64_000],
  wav: [1_600, 1_600_000],
  webm: [750, 2_500_000],
};

/** Reads the duration of an audio file from its headers, and where they lack it from its frames. */
export async function durationOf(upload: Upload): Promise<AudioDuration> {
  const [least, most] = RATES[upload.kind as AudioKind];
  const longestMs = Math.ceil((upload.bytes / least) * 1_000);
  const shortestMs = (upload.bytes / most) * 1_000;
  const seconds = await readSeconds(upload);
  if (seconds === undefined) return { measuredMs: longestMs, maximumMs: longestMs };
  const measuredMs = Math.min(Math.max(seconds * 1_000, shortestMs), longestMs);
  return { measuredMs, maximumMs: Math.ceil(measuredMs / 1_000) * 1_000 + MARGIN_MS };
}

async function readSeconds(upload: Upload): Promise<number | undefined> {
  // The package is an ES module.
  const { parseStream } = await import('music-metadata');
  const stream = Readable.from(upload.open(), { objectMode: false });
  const timer = setTimeout(() => stream.destroy(new Error('took too long')), READ_MS);
  try {
    const file = { mimeType: MIME_TYPES[upload.kind], size: upload.bytes };
    const { format } = await parseStream(stream, file, { duration: true, skipCovers: true });
    const { duration } = format;
    return duration !== undefined && Number.isFinite(duration) && duration > 0 ? duration : undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    stream.destroy();
  }
}
