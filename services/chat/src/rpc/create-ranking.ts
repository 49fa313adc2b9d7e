import type { LinkHandler } from '@gateway/link';
import type { AnswerWholeReply } from '../app/answer-whole-reply';
import { rerankCall } from '../app/rerank-call';
import { parseRerankRequest } from '../formats/rerank/rerank-request';

/** `POST /v1/rerank` and, for Cohere's clients, `POST /v2/rerank`. */
export function createRanking(answer: AnswerWholeReply): LinkHandler {
  return async (context, call) => answer(context, call, rerankCall(parseRerankRequest(call.body)));
}
