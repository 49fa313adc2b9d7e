import { createHash } from 'node:crypto';
import { imageFormatOf } from '../domain/files/image';
import type { Upload } from '../domain/media-usage';

const DATA_URL = /^data:image\/[a-z+.-]+;base64,/;
const MAX_URL_CHARS = 2_048;

/**
 * An image within a body: base64, bare or in a data URL, or a link, which is not followed: then its text is what
 * arrived. Null for anything else.
 */
export function uploadOf(part: string, value: unknown): Upload | null {
  if (typeof value !== 'string' || value === '') return null;
  const link = /^https?:\/\/\S+$/.test(value) && value.length <= MAX_URL_CHARS;
  const bytes = link ? Buffer.from(value) : Buffer.from(value.replace(DATA_URL, ''), 'base64');
  if (!link && imageFormatOf(bytes) === undefined) return null;
  return { part, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
