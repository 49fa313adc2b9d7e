import type { Conversation } from '../../domain/conversation';
import { readMessages } from './messages-request';
import { countTokensSchema } from './messages-schema';
import { TYPICAL_PROMPT_TOKENS } from './supported-tools';
import { toConversation } from './to-conversation';

/** A valid call of `POST /v1/messages/count_tokens`. */
export interface CountTokensRequest {
  /** As the caller wrote it, not resolved yet. */
  readonly model: string;
  /** Content that no other format can represent is included as text, so that it is counted too. */
  readonly conversation: Conversation;
  /** Estimated tokens of the instructions that Anthropic adds for its own models. */
  readonly hiddenInputTokens: number;
}

/** @throws GatewayError `invalid_request`, then `missing_parameter`, then `invalid_model` */
export function parseCountTokens(bytes: Buffer): CountTokensRequest {
  const { model, body, check } = readMessages(bytes, countTokensSchema);
  return {
    model,
    conversation: toConversation(body, () => undefined),
    hiddenInputTokens: check.hiddenInputTokens > 0 ? TYPICAL_PROMPT_TOKENS : 0,
  };
}

export function toTokenCount(inputTokens: number) {
  return { input_tokens: inputTokens };
}
