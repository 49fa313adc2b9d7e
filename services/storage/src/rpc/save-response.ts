import { GatewayError } from '@gateway/errors';
import type { SaveResponseRequest__Output } from '@gateway/proto/generated/gateway/storage/v1/SaveResponseRequest';
import type { RequestContext } from '@gateway/rpc';
import type { ContentMetrics } from '../metrics';
import { MAX_RESPONSE_BYTES } from '../responses/rules/response-limits';
import type { ResponseQuota } from '../responses/store/response-quota';
import type { Responses } from '../responses/store/responses';

export const saveResponse =
  (
    responses: Pick<Responses, 'save'>,
    quota: Pick<ResponseQuota, 'check' | 'add'>,
    metrics: ContentMetrics,
  ) =>
  async (_context: RequestContext, request: SaveResponseRequest__Output) => {
    const { accountId, keyId, id, previousId, input, response } = request;
    const bytes = input.length + response.length;
    if (bytes > MAX_RESPONSE_BYTES)
      throw new GatewayError('invalid_request', { detail: 'the response is too large to be stored' });
    await quota.check(accountId, bytes);
    await responses.save({ accountId, keyId, id, ...(previousId && { previousId }), input, response });
    quota.add(accountId, bytes);
    metrics.saved(bytes);
    return {};
  };
