import { GatewayError } from '@gateway/errors';
import type { LinkHandler } from '@gateway/link';
import type { BackgroundMetrics } from '../metrics';
import { cancelledResponse } from '../responses/rules/background-response';
import type { BackgroundCalls } from '../responses/store/background-calls';
import type { Responses } from '../responses/store/responses';
import { type FreeAdmission, responseIdOf, responseReply } from './response-call';

export interface CancelResponseDeps {
  readonly responses: Pick<Responses, 'response'>;
  readonly background: Pick<BackgroundCalls, 'cancel'>;
  readonly admitFree: FreeAdmission;
  readonly metrics: Pick<BackgroundMetrics, 'ended'>;
  /** Called when a response has been cancelled, so that its call is aborted if this process runs it. */
  onCancelled(id: string): void;
}

/** `POST /v1/responses/{id}/cancel`. A response in the background that has ended is returned as it is. */
export const cancelResponse =
  ({ responses, background, admitFree, metrics, onCancelled }: CancelResponseDeps): LinkHandler =>
  async (context, call) => {
    const id = responseIdOf(call.path);
    const { headers, reader } = await admitFree(context, call);
    const find = async () => {
      const found = await responses.response(reader, id);
      if (!found) throw new GatewayError('not_found');
      return found;
    };
    const found = await find();
    if (JSON.parse(found.json.toString()).background !== true)
      throw new GatewayError('invalid_request', { detail: 'only background responses can be cancelled' });
    if (!found.progress) return responseReply(found, headers);
    const cancelled = cancelledResponse(found.json);
    if (await background.cancel(reader.accountId, id, cancelled)) {
      metrics.ended(cancelled.status);
      onCancelled(id);
    }
    return responseReply(await find(), headers);
  };
