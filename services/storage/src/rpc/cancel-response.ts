import { GatewayError } from '@gateway/errors';
import type { LinkHandler } from '@gateway/link';
import type { Responses } from '../responses/store/responses';
import { type FreeAdmission, responseIdOf } from './response-call';

/** `POST /v1/responses/{id}/cancel`: a stored response has ended, because there are none in the background. */
export const cancelResponse =
  (responses: Pick<Responses, 'sizes'>, admitFree: FreeAdmission): LinkHandler =>
  async (context, { key, path }) => {
    await admitFree(context, key);
    const [found] = await responses.sizes(key.accountId, [responseIdOf(path)]);
    if (!found) throw new GatewayError('not_found');
    throw new GatewayError('invalid_request', { detail: 'only background responses can be cancelled' });
  };
