import type { LinkHandler } from '@gateway/link';
import type { AnswerWholeReply } from '../app/answer-whole-reply';
import { embeddingCall } from '../app/embedding-call';
import { parseEmbeddingsRequest } from '../formats/openai/embeddings-request';

/** `POST /v1/embeddings`. */
export function createEmbeddings(answer: AnswerWholeReply): LinkHandler {
  return async (context, call) => answer(context, call, embeddingCall(parseEmbeddingsRequest(call.body)));
}
