import { setImmediate as nextTurn } from 'node:timers/promises';
import type { VectorEncoding } from '../domain/embedding';
import { MAX_REPLY_BYTES, ReplyTooLarge } from '../domain/reply-memory';
import { toBase64, toFloats, type Vector } from '../domain/vector';

/** The JSON around a list of vectors. */
export interface VectorListFrame {
  readonly head: string;
  /** Precedes each vector; commas are added. */
  itemHead(index: number): string;
  readonly itemTail: string;
  readonly tail: string;
}

/** Converting a vector takes up to a millisecond per 50 kB; other calls are served between so many bytes. */
const TURN_BYTES = 256 * 1024;

/**
 * Writes vectors as JSON. Other calls are served meanwhile.
 * @throws Error for a malformed vector; ReplyTooLarge
 */
export async function writeVectorList(
  vectors: readonly Vector[],
  encoding: VectorEncoding,
  { head, itemHead, itemTail, tail }: VectorListFrame,
): Promise<Buffer> {
  const pieces: Buffer[] = [Buffer.from(head)];
  let bytes = 0;
  let turnEndsAt = TURN_BYTES;
  for (const [index, vector] of vectors.entries()) {
    const embedding = encoding === 'base64' ? Buffer.from(`"${toBase64(vector)}"`) : toFloats(vector);
    pieces.push(Buffer.from(`${index > 0 ? ',' : ''}${itemHead(index)}`), embedding, Buffer.from(itemTail));
    bytes += embedding.length;
    if (bytes > MAX_REPLY_BYTES) throw new ReplyTooLarge('reply is too large');
    if (bytes < turnEndsAt) continue;
    turnEndsAt = bytes + TURN_BYTES;
    await nextTurn();
  }
  pieces.push(Buffer.from(tail));
  return Buffer.concat(pieces);
}
