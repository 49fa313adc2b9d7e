import { MIME_TYPES, type Upload } from '../domain/upload';
import type { UploadPiece, UpstreamBody } from '../domain/upstream-body';

export interface FormFile {
  /** Name at the provider. */
  readonly part: string;
  readonly upload: Upload;
}

export interface FormBody {
  readonly contentType: string;
  readonly body: UpstreamBody;
}

/**
 * Creates a multipart/form-data body whose files are read while it is sent.
 * @param boundary random, so that no caller's bytes can contain it
 */
export function formBody(
  fields: readonly (readonly [name: string, value: string])[],
  files: readonly FormFile[],
  boundary: string,
): FormBody {
  const pieces: (Buffer | UploadPiece)[] = [];
  for (const [name, value] of fields) {
    pieces.push(Buffer.from(`--${boundary}\r\n${disposition(name)}\r\n\r\n${value}\r\n`));
  }
  files.forEach(({ part, upload }, index) => {
    const filename = `file-${index + 1}.${upload.kind}`;
    const head = `${disposition(part)}; filename="${filename}"\r\nContent-Type: ${MIME_TYPES[upload.kind]}`;
    pieces.push(Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`));
    pieces.push({ upload, as: 'raw' }, Buffer.from('\r\n'));
  });
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: pieces };
}

function disposition(name: string): string {
  // Our own name, not the caller's; a quote would end it.
  if (!/^[\w[\].-]+$/.test(name)) throw new Error('invalid part name');
  return `Content-Disposition: form-data; name="${name}"`;
}
