import { kindOf } from '../../domain/file-kind';
import type { Upload } from '../../domain/upload';

const DATA_URL = /^data:image\/[a-z+.-]{1,32};base64,/;

/** Whole base64 comes of it, and little at a time. */
const PIECE_BYTES = 48 * 1024;

/** The image of a data URL, held in memory as its body was; undefined for anything else. */
export function inlineFile(part: string, text: string): Upload | undefined {
  const head = DATA_URL.exec(text)?.[0];
  if (head === undefined) return undefined;
  const bytes = Buffer.from(text.slice(head.length), 'base64');
  const kind = kindOf(bytes);
  if (kind === undefined) return undefined;
  return {
    part,
    kind,
    bytes: bytes.length,
    async *open() {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
    },
  };
}
