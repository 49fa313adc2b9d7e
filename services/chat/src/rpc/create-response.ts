import type { LinkHandler } from '@gateway/link';
import type { AnswerResponse } from '../app/answer-response';
import { parseResponsesRequest, type ResponsesOptions } from '../formats/responses/responses-request';

/** `POST /v1/responses`. */
export function createResponse(answer: AnswerResponse, options: ResponsesOptions): LinkHandler {
  return async (context, call) => answer(context, call, parseResponsesRequest(call.body, options));
}
