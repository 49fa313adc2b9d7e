/** A picked or dropped file that passed validation. */
export interface ChosenFile {
  /** Identifies this choice: the same file picked again has another id. */
  readonly id: string;
  readonly file: File;
  /** Object URL of the preview; revoked when it is no longer shown. */
  readonly src: string;
}

export type Purpose = 'image' | 'mask';

const MIB = 1024 * 1024;
/** The types that media accepts. */
export const MAX_IMAGE_BYTES = 50 * MIB;
export const MAX_IMAGES_BYTES = 100 * MIB;
const MAX_MASK_BYTES = 4 * MIB;
/** Number of first bytes that identify a file type. */
export const KIND_BYTES = 12;

type Kind = 'png' | 'jpeg' | 'webp';

/** Detects the type by the first bytes, as the gateway does, whatever the name says. */
export function kindOf(bytes: Uint8Array): Kind | undefined {
  const text = String.fromCharCode(...bytes.subarray(0, KIND_BYTES));
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  return text.startsWith('RIFF') && text.slice(8) === 'WEBP' ? 'webp' : undefined;
}

/** Returns why a file can't be sent; undefined if it can. */
export function fileProblem(purpose: Purpose, kind: Kind | undefined, bytes: number): string | undefined {
  if (purpose === 'mask') {
    if (kind !== 'png') return 'is not a PNG; masks must be PNG';
    return bytes >= MAX_MASK_BYTES ? 'is too large: masks are limited to 4 MB' : undefined;
  }
  if (kind === undefined) return 'is not a PNG, JPEG or WebP';
  return bytes > MAX_IMAGE_BYTES ? 'is too large: images are limited to 50 MB' : undefined;
}

/** Returns why these files can't be sent together. */
export function filesProblem(images: readonly { size: number }[], most: number): string | undefined {
  if (images.length > most) {
    return `This model accepts at most ${most} ${most === 1 ? 'image' : 'images'}: remove ${images.length - most}.`;
  }
  const bytes = images.reduce((sum, { size }) => sum + size, 0);
  return bytes > MAX_IMAGES_BYTES ? 'The images exceed 100 MB in total: remove some.' : undefined;
}

/** `1.4 MB` */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kib = bytes / 1024;
  return kib < 1000 ? `${Math.round(kib)} KB` : `${(kib / 1024).toFixed(1)} MB`;
}
