import { kindOf } from '../../domain/file-kind';
import type { Upload } from '../../domain/upload';

const DATA_URL = /^data:image\/[a-z+.-]{1,32};base64,/;

/** Encodes to complete base64 groups, in small pieces. */
const PIECE_BYTES = 48 * 1024;

/** Returns the image of a data URL, in memory as its body; undefined for anything else. */
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
