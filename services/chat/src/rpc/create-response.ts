import type { LinkHandler } from '@gateway/link';
import type { AnswerChat } from '../app/answer-chat';
import type { UnknownFields } from '../domain/caller-request';
import { parseResponsesRequest } from '../formats/responses/responses-request';

/** `POST /v1/responses`. */
export function createResponse(answer: AnswerChat, unknownFields: UnknownFields): LinkHandler {
  return async (context, call) => answer(context, call, parseResponsesRequest(call.body, unknownFields));
}
