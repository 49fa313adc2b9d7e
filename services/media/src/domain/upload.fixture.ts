import type { Upload, UploadKind } from './upload';

/** A file in memory. */
export function uploadOf(part: string, content: string, kind: UploadKind = 'png', pixels?: number): Upload {
  const bytes = Buffer.from(content);
  return {
    part,
    kind,
    bytes: bytes.length,
    ...(pixels !== undefined && { pixels }),
    async *open() {
      yield bytes;
    },
  };
}
