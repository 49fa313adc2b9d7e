import { jsonReply, type LinkHandler } from '@gateway/link';
import type { CpuTimeQuota } from '@gateway/quota';
import type { Admission } from '../app/reserve-call';
import type { Conversation } from '../domain/conversation';
import { countConversation } from '../domain/count-conversation';
import { type ModelLookup, resolveChatModel } from '../domain/model';
import { DEFAULT_BUDGET_MS, TokenCounter } from '../domain/token-count';
import { parseCountTokens, toTokenCount } from '../formats/anthropic/count-tokens';

export interface CountTokensDeps {
  readonly models: ModelLookup;
  readonly admission: Pick<Admission, 'admitFree'>;
  readonly counting: CpuTimeQuota;
}

/** Returns the tokens of a conversation by the gateway's own count, within the account's quota of CPU time. */
export const countWithin = (
  counting: CpuTimeQuota,
  accountId: string,
  conversation: Conversation,
  audioTokensPerSecond?: number,
): number =>
  counting.run(
    accountId,
    DEFAULT_BUDGET_MS,
    (budgetMs) => countConversation(conversation, new TokenCounter(budgetMs), audioTokensPerSecond).tokens,
  );

/** `POST /v1/messages/count_tokens`: counted by the gateway, whichever provider owns the model; free. */
export function countTokens({ models, admission, counting }: CountTokensDeps): LinkHandler {
  return async (context, call) => {
    const request = parseCountTokens(call.body);
    resolveChatModel(models, request.model, call.key);
    const headers = await admission.admitFree(context, call);
    const counted = countWithin(counting, call.key.accountId, request.conversation);
    return jsonReply(toTokenCount(counted + request.hiddenInputTokens), headers);
  };
}
