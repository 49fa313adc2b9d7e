import type { LinkHandler } from '@gateway/link';
import type { AnswerChat } from '../app/answer-chat';
import type { UnknownFields } from '../domain/caller-request';
import { parseMessagesRequest } from '../formats/anthropic/messages-request';

/** `POST /v1/messages`. */
export function createMessage(answer: AnswerChat, unknownFields: UnknownFields): LinkHandler {
  return async (context, call) =>
    answer(context, call, parseMessagesRequest(call.body, call.headers, unknownFields));
}
