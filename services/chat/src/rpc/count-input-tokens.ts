import { jsonReply, type LinkHandler } from '@gateway/link';
import type { Quota } from '@gateway/quota';
import { withStoredItems } from '../app/answer-response';
import type { ResponseStorage } from '../app/response-storage';
import { resolveChatModel } from '../domain/model';
import { parseResponsesRequest, type ResponsesOptions } from '../formats/responses/responses-request';
import { type CountTokensDeps, countWithin } from './count-tokens';

export interface CountInputTokensDeps extends CountTokensDeps {
  /** Undefined: nothing is stored. */
  readonly storage: ResponseStorage | undefined;
  /** Memory for what is loaded. */
  readonly bodies: Quota;
  readonly options: ResponsesOptions;
}

/**
 * `POST /v1/responses/input_tokens`: the input of a response, with the conversation that it continues, counted by the gateway, whichever
 * provider owns the model; free.
 */
export function countInputTokens(deps: CountInputTokensDeps): LinkHandler {
  const { models, admission, counting, storage, bodies, options } = deps;
  return async (context, call) => {
    // Nothing is stored, whatever the body says.
    const request = { ...parseResponsesRequest(call.body, options), mustBeStored: false };
    const { whole, release } = storage
      ? await withStoredItems(storage, bodies, call.key, request)
      : { whole: request.withItems() };
    try {
      resolveChatModel(models, whole.model, call.key);
      const headers = await admission.admitFree(context, call);
      const tokens = countWithin(counting, call.key.accountId, whole.conversation());
      return jsonReply({ object: 'response.input_tokens', input_tokens: tokens }, headers);
    } finally {
      release?.();
    }
  };
}
