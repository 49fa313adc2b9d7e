export interface FieldPart {
  readonly name: string;
  readonly value: string;
}

export interface FilePart {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly bytes: Buffer;
}

export type WrittenPart = FieldPart | FilePart;

/** Returns a form as clients write it. */
export function writeForm(parts: readonly WrittenPart[], boundary = 'form-boundary'): Buffer {
  const pieces = parts.flatMap((part) => {
    const file = 'bytes' in part;
    const filename = file ? `; filename="${part.filename ?? 'a.png'}"` : '';
    const type = file ? `Content-Type: ${part.type ?? 'application/octet-stream'}\r\n` : '';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${part.name}"${filename}\r\n${type}\r\n`;
    return [Buffer.from(head), file ? part.bytes : Buffer.from(part.value), Buffer.from('\r\n')];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

export const formType = (boundary = 'form-boundary') => `multipart/form-data; boundary=${boundary}`;

/** Returns bytes of that length that begin like a PNG. */
export function pngBytes(bytes: number, fill = 0): Buffer {
  const png = Buffer.alloc(bytes, fill);
  png.write('\x89PNG\r\n\x1a\n', 'latin1');
  return png;
}

export async function* inPieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

export async function gather(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
