/** What a file is by its first bytes, whatever its name says. */
export type UploadKind = 'png' | 'jpeg' | 'webp' | 'gif';

export const MIME_TYPES: Readonly<Record<UploadKind, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
};

/** A file that a caller sent with a call, and that goes when the call ends. */
export interface Upload {
  /** Name of its part of the form: `image`, `image[]`, `mask`. */
  readonly part: string;
  readonly kind: UploadKind;
  readonly bytes: number;
  /** Width by height, as the file says; absent: it does not, where it should. */
  readonly pixels?: number;
  /** From the first byte on, anew at each call. Its pieces are the reader's own. */
  open(): AsyncIterable<Buffer>;
}

/** A file somewhere else, for providers that fetch it themselves; the gateway never does. */
export interface RemoteFile {
  readonly url: string;
}

export type MediaFile = Upload | RemoteFile;

export const isUpload = (file: MediaFile): file is Upload => 'open' in file;
