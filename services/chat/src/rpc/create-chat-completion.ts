import type { LinkHandler } from '@gateway/link';
import type { AnswerChat } from '../app/answer-chat';
import type { AudioIdSealer } from '../domain/audio-ids';
import type { UnknownFields } from '../domain/caller-request';
import { parseChatRequest } from '../formats/openai/chat-request';

/** `POST /v1/chat/completions`. */
export function createChatCompletion(
  answer: AnswerChat,
  unknownFields: UnknownFields,
  audioIds: AudioIdSealer,
): LinkHandler {
  return async (context, call) =>
    answer(context, call, parseChatRequest(call.body, unknownFields, audioIds.of(call.key.accountId)));
}
