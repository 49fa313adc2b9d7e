import type { AudioKind } from '@gateway/audio';

/** The kind of a file by its first bytes, whatever its name says. */
export type UploadKind = 'png' | 'jpeg' | 'webp' | 'gif' | AudioKind;

export const MIME_TYPES: Readonly<Record<UploadKind, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  flac: 'audio/flac',
  mp3: 'audio/mpeg',
  mp4: 'audio/mp4',
  mpeg: 'video/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  webm: 'audio/webm',
};

/** A file of a request, which is deleted when the call ends. */
export interface Upload {
  /** Name of its part of the form: `image`, `image[]`, `mask`. */
  readonly part: string;
  readonly kind: UploadKind;
  readonly bytes: number;
  /** Width × height according to the file; absent if it has none. */
  readonly pixels?: number;
  /** Reads from the first byte, each time it is called. The reader owns the pieces. */
  open(): AsyncIterable<Buffer>;
}

/** A remote file, for providers that fetch it themselves; the gateway never does. */
export interface RemoteFile {
  readonly url: string;
}

export type MediaFile = Upload | RemoteFile;

export const isUpload = (file: MediaFile): file is Upload => 'open' in file;
