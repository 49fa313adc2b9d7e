import { GatewayError } from '@gateway/errors';
import type { LinkHandler } from '@gateway/link';
import type { AnswerResponse } from '../app/answer-response';
import type { QueueResponse } from '../app/queue-response';
import { parseResponsesRequest, type ResponsesOptions } from '../formats/responses/responses-request';

/** `POST /v1/responses`. @param queue absent: no response is made in the background */
export function createResponse(
  answer: AnswerResponse,
  queue: QueueResponse | undefined,
  options: ResponsesOptions,
): LinkHandler {
  return async (context, call) => {
    const request = parseResponsesRequest(call.body, options);
    /** The header comes from storage only: edge does not forward it. */
    const { 'x-gateway-background': replyId } = call.headers;
    if (!request.isBackground || replyId) return answer(context, call, request, replyId);
    if (!queue) throw new GatewayError('invalid_request', { detail: 'background: not supported in a batch' });
    return queue(call, request);
  };
}
