import { createHash } from 'node:crypto';
import { imageFormatOf } from '../domain/files/image';
import type { Upload } from '../domain/media-usage';
import type { Json } from './json';

const DATA_URL = /^data:image\/[a-z+.-]+;base64,/;
const MAX_URL_CHARS = 2_048;

/**
 * Returns the image in a field of a body: base64, bare or in a data URL, or a URL, which is not fetched but recorded itself.
 * @throws what `invalid` returns, for any other value
 */
export function uploadOf(part: string, value: unknown, invalid: (part: string) => Error): Upload {
  const text = typeof value === 'string' ? value : '';
  const isUrl = /^https?:\/\/\S+$/.test(text) && text.length <= MAX_URL_CHARS;
  const bytes = isUrl ? Buffer.from(text) : Buffer.from(text.replace(DATA_URL, ''), 'base64');
  if (!isUrl && imageFormatOf(bytes) === undefined) throw invalid(part);
  return { part, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Returns the images in the fields that are present. @throws what `invalid` returns, for a field without an image */
export const uploadsOf = (body: Json, parts: readonly string[], invalid: (part: string) => Error): Upload[] =>
  parts.filter((part) => body[part] != null).map((part) => uploadOf(part, body[part], invalid));
