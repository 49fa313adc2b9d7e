import { kindOf } from './file-kind';
import type { Upload } from './upload';

const DATA_URL = /^data:image\/[a-z+.-]{1,32};base64,/;

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
      yield bytes;
    },
  };
}
