import type { LinkHandler } from '@gateway/link';
import type { AnswerEmbeddings } from '../app/answer-embeddings';
import { writeEmbeddings } from '../formats/openai/embeddings-reply';
import { parseEmbeddingsRequest } from '../formats/openai/embeddings-request';

/** `POST /v1/embeddings`. */
export function createEmbeddings(answer: AnswerEmbeddings): LinkHandler {
  return async (context, call) => answer(context, call, parseEmbeddingsRequest(call.body), writeEmbeddings);
}
