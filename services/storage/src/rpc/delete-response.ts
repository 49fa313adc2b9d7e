import { GatewayError } from '@gateway/errors';
import { jsonReply, type LinkHandler } from '@gateway/link';
import type { ContentMetrics } from '../metrics';
import type { Responses } from '../responses/store/responses';
import { type FreeAdmission, responseIdOf } from './response-call';

/**
 * `POST /v1/responses/{id}/delete`. Later responses of the conversation remain, and can't be continued.
 * @param onDeleted called so that the call of a response that has not ended is aborted if this process runs it
 */
export const deleteResponse =
  (
    responses: Pick<Responses, 'delete'>,
    admitFree: FreeAdmission,
    metrics: Pick<ContentMetrics, 'deleted'>,
    onDeleted: (id: string, accountId: string) => void,
  ): LinkHandler =>
  async (context, call) => {
    const { headers, reader } = await admitFree(context, call);
    const id = responseIdOf(call.path);
    if (!(await responses.delete(reader, id))) throw new GatewayError('not_found');
    metrics.deleted('requested', 1);
    onDeleted(id, reader.accountId);
    return jsonReply({ id, object: 'response', deleted: true }, headers);
  };
