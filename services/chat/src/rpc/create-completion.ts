import type { LinkHandler } from '@gateway/link';
import type { AnswerChat } from '../app/answer-chat';
import type { UnknownFields } from '../domain/caller-request';
import { parseCompletionsRequest } from '../formats/openai/completions-request';

/** `POST /v1/completions`. */
export function createCompletion(answer: AnswerChat, unknownFields: UnknownFields): LinkHandler {
  return async (context, call) => answer(context, call, parseCompletionsRequest(call.body, unknownFields));
}
