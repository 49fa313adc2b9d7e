import type { Upload } from './upload';

/** A file within a body, as bytes or in base64. */
export interface UploadPiece {
  readonly upload: Upload;
  readonly as: 'raw' | 'base64';
}

/** The body of a request to a provider: files are read while it is sent, never collected in memory. */
export type UpstreamBody = readonly (Buffer | UploadPiece)[];

/** For `content-length`: known before a byte is read. */
export function bodyBytes(body: UpstreamBody): number {
  return body.reduce((sum, piece) => sum + pieceBytes(piece), 0);
}

/** Yields the body's bytes in order. The next piece is read when the previous one was taken, which provides back-pressure. */
export async function* readBody(body: UpstreamBody): AsyncGenerator<Buffer> {
  for (const piece of body) {
    if (Buffer.isBuffer(piece)) yield piece;
    else if (piece.as === 'raw') yield* piece.upload.open();
    else yield* toBase64(piece.upload.open());
  }
}

function pieceBytes(piece: Buffer | UploadPiece): number {
  if (Buffer.isBuffer(piece)) return piece.length;
  const { bytes } = piece.upload;
  return piece.as === 'raw' ? bytes : Math.ceil(bytes / 3) * 4;
}

/** Three bytes become four characters, so the remainder of a piece is joined with the next one. */
async function* toBase64(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let over = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = over.length > 0 ? Buffer.concat([over, piece]) : piece;
    const whole = bytes.length - (bytes.length % 3);
    // A copy, because the reader may reuse its buffer.
    over = Buffer.from(bytes.subarray(whole));
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
  }
  if (over.length > 0) yield Buffer.from(over.toString('base64'), 'latin1');
}
