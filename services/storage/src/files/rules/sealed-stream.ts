import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import { UnsealError } from '@gateway/secrets';

const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES;

/**
 * Encrypts a stream in chunks (AES-256-GCM). The initialization vector of a chunk is its number and whether it is the last one, so that
 * chunks can't be left out, added, or change places.
 * @param key encrypts no other stream
 */
export async function* sealStream(key: KeyObject, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const [chunk, isLast] of chunksOf(content, CHUNK_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', key, vectorOf(at, isLast));
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
    at += 1;
  }
}

/** Decrypts a stream of `sealStream`. @throws UnsealError at the first chunk that was changed or is missing */
export async function* openStream(key: KeyObject, sealed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const [chunk, isLast] of chunksOf(sealed, SEALED_CHUNK_BYTES)) {
    if (chunk.length < TAG_BYTES) throw damaged();
    const decipher = createDecipheriv('aes-256-gcm', key, vectorOf(at, isLast));
    decipher.setAuthTag(chunk.subarray(-TAG_BYTES));
    yield opened(() => Buffer.concat([decipher.update(chunk.subarray(0, -TAG_BYTES)), decipher.final()]));
    at += 1;
  }
}

function opened(open: () => Buffer): Buffer {
  try {
    return open();
  } catch {
    throw damaged();
  }
}

const damaged = () => new UnsealError('a stored object is damaged, or has another key');

function vectorOf(at: number, isLast: boolean): Buffer {
  const vector = Buffer.alloc(12);
  vector.writeUInt32BE(at);
  vector[11] = isLast ? 1 : 0;
  return vector;
}

/** Cuts a stream into chunks of one size; the last one, of which there always is one, may be shorter. */
async function* chunksOf(
  content: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<[chunk: Buffer, isLast: boolean]> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of content) {
    pieces.push(piece);
    bytes += piece.length;
    // A full chunk is kept until it is known whether another one follows.
    if (bytes <= size) continue;
    let rest = Buffer.concat(pieces);
    for (; rest.length > size; rest = rest.subarray(size)) yield [rest.subarray(0, size), false];
    pieces = [rest];
    bytes = rest.length;
  }
  yield [Buffer.concat(pieces), true];
}
