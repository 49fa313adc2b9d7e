import { GatewayError } from '@gateway/errors';
import type { QueueResponseRequest__Output } from '@gateway/proto/generated/gateway/storage/v1/QueueResponseRequest';
import type { RequestContext } from '@gateway/rpc';
import type { BackgroundMetrics } from '../metrics';
import { MAX_RESPONSE_BYTES } from '../responses/rules/response-limits';
import type { BackgroundCalls } from '../responses/store/background-calls';
import type { ResponseQuota } from '../responses/store/response-quota';

/** @param onQueued called when there is a call to be run */
export const queueResponse =
  (
    background: Pick<BackgroundCalls, 'queue'>,
    quota: Pick<ResponseQuota, 'check' | 'add'>,
    metrics: Pick<BackgroundMetrics, 'created'>,
    onQueued: () => void,
  ) =>
  async (_context: RequestContext, request: QueueResponseRequest__Output) => {
    const { previousId, ...queued } = request;
    if (queued.body.length + queued.input.length + queued.response.length > MAX_RESPONSE_BYTES)
      throw new GatewayError('invalid_request', { detail: 'background: the call is too large to be queued' });
    const bytes = queued.input.length + queued.response.length;
    await quota.check(queued.accountId, bytes);
    await background.queue({ ...queued, ...(previousId && { previousId }) });
    quota.add(queued.accountId, bytes);
    metrics.created();
    onQueued();
    return {};
  };

export const refuseQueueing = async (): Promise<never> => {
  throw new GatewayError('invalid_request', {
    detail: 'background: responses are not made in the background here',
  });
};
