import { setImmediate as nextTurn } from 'node:timers/promises';
import type { VectorEncoding } from '../../domain/embedding';
import { MAX_REPLY_BYTES, ReplyTooLarge } from '../../domain/reply-memory';
import { toBase64, toFloats, type Vector } from '../../domain/vector';

export interface EmbeddingsReply {
  /** The slug to name. */
  readonly model: string;
  readonly vectors: readonly Vector[];
  readonly encoding: VectorEncoding;
  readonly inputTokens: number;
}

/** Converting a vector takes up to a millisecond per 50 kB; other calls are served between so many bytes. */
const TURN_BYTES = 256 * 1024;

/**
 * Writes a list of embeddings in OpenAI's format. Other calls are served meanwhile.
 * @throws Error for a malformed vector; ReplyTooLarge
 */
export async function writeEmbeddings({
  model,
  vectors,
  encoding,
  inputTokens,
}: EmbeddingsReply): Promise<Buffer> {
  const pieces: Buffer[] = [Buffer.from('{"object":"list","data":[')];
  let bytes = 0;
  let turnEndsAt = TURN_BYTES;
  for (const [index, vector] of vectors.entries()) {
    const head = `${index > 0 ? ',' : ''}{"object":"embedding","index":${index},"embedding":`;
    const embedding = encoding === 'base64' ? Buffer.from(`"${toBase64(vector)}"`) : toFloats(vector);
    pieces.push(Buffer.from(head), embedding, Buffer.from('}'));
    bytes += embedding.length;
    if (bytes > MAX_REPLY_BYTES) throw new ReplyTooLarge('reply is too large');
    if (bytes < turnEndsAt) continue;
    turnEndsAt = bytes + TURN_BYTES;
    await nextTurn();
  }
  const usage = { prompt_tokens: inputTokens, total_tokens: inputTokens };
  pieces.push(Buffer.from(`],"model":${JSON.stringify(model)},"usage":${JSON.stringify(usage)}}`));
  return Buffer.concat(pieces);
}
