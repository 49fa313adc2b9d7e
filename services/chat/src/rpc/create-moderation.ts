import type { LinkHandler } from '@gateway/link';
import type { AnswerWholeReply } from '../app/answer-whole-reply';
import { moderationCall } from '../app/moderation-call';
import { parseModerationsRequest } from '../formats/openai/moderations-request';

/** `POST /v1/moderations`. */
export function createModeration(answer: AnswerWholeReply): LinkHandler {
  return async (context, call) => answer(context, call, moderationCall(parseModerationsRequest(call.body)));
}
