import { jsonReply, type LinkHandler } from '@gateway/link';
import type { CpuTimeQuota } from '@gateway/quota';
import type { Admission } from '../app/reserve-call';
import { countConversation } from '../domain/count-conversation';
import { type ModelLookup, resolveChatModel } from '../domain/model';
import { DEFAULT_BUDGET_MS, TokenCounter } from '../domain/token-count';
import { parseCountTokens, toTokenCount } from '../formats/anthropic/count-tokens';

export interface CountTokensDeps {
  readonly models: ModelLookup;
  readonly admission: Pick<Admission, 'admitFree'>;
  readonly counting: CpuTimeQuota;
}

/** `POST /v1/messages/count_tokens`: counted by the gateway, whichever provider owns the model; free. */
export function countTokens({ models, admission, counting }: CountTokensDeps): LinkHandler {
  return async (context, call) => {
    const request = parseCountTokens(call.body);
    resolveChatModel(models, request.model, call.key);
    const headers = await admission.admitFree(context, call);
    const counted = counting.run(
      call.key.accountId,
      DEFAULT_BUDGET_MS,
      (budgetMs) => countConversation(request.conversation, new TokenCounter(budgetMs)).tokens,
    );
    return jsonReply(toTokenCount(counted + request.hiddenInputTokens), headers);
  };
}
