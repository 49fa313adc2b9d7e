import type { Upload, UploadKind } from './upload';

/** A file that lies in memory. */
export function uploadOf(part: string, content: string, kind: UploadKind = 'png'): Upload {
  const bytes = Buffer.from(content);
  return {
    part,
    kind,
    bytes: bytes.length,
    async *open() {
      yield bytes;
    },
  };
}
