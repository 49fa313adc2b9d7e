import type { EmbeddingsReply } from '../../domain/embedding';
import { writeVectorList } from '../vector-list';

/** Writes the reply of `batchEmbedContents`. @throws Error for a malformed vector; ReplyTooLarge */
export const writeContentEmbeddings = (reply: EmbeddingsReply): Promise<Buffer> =>
  writeWithin(reply, '"embeddings":[', ']');

/** Writes the reply of `embedContent`. @throws the same */
export const writeContentEmbedding = (reply: EmbeddingsReply): Promise<Buffer> =>
  writeWithin(reply, '"embedding":', '');

function writeWithin({ vectors, inputTokens }: EmbeddingsReply, open: string, close: string) {
  const usage = JSON.stringify({ promptTokenCount: inputTokens });
  return writeVectorList(vectors, 'float', {
    head: `{${open}`,
    itemHead: () => '{"values":',
    itemTail: '}',
    tail: `${close},"usageMetadata":${usage}}`,
  });
}
