import type { EmbeddingsReply } from '../../domain/embedding';
import { writeVectorList } from '../vector-list';

/** Writes a list of embeddings in OpenAI's format. @throws Error for a malformed vector; ReplyTooLarge */
export function writeEmbeddings(reply: EmbeddingsReply): Promise<Buffer> {
  const { model, vectors, encoding, inputTokens } = reply;
  const usage = { prompt_tokens: inputTokens, total_tokens: inputTokens };
  return writeVectorList(vectors, encoding, {
    head: '{"object":"list","data":[',
    itemHead: (index) => `{"object":"embedding","index":${index},"embedding":`,
    itemTail: '}',
    tail: `],"model":${JSON.stringify(model)},"usage":${JSON.stringify(usage)}}`,
  });
}
