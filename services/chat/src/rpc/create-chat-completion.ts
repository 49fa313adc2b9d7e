import type { LinkHandler } from '@gateway/link';
import type { UnknownFields } from '../domain/caller-request';
import { parseChatRequest } from '../formats/openai/chat-request';
import type { AnswerChat } from './answer-chat';

/** `POST /v1/chat/completions`. */
export function createChatCompletion(answer: AnswerChat, unknownFields: UnknownFields): LinkHandler {
  return async (context, call) => answer(context, call, parseChatRequest(call.body, unknownFields));
}
