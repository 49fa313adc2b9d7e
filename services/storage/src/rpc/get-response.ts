import { GatewayError } from '@gateway/errors';
import type { LinkHandler } from '@gateway/link';
import { includesEncrypted } from '../responses/rules/encrypted-content';
import type { Responses } from '../responses/store/responses';
import { type FreeAdmission, responseIdOf, responseReply } from './response-call';

/** `GET /v1/responses/{id}`. */
export const getResponse =
  (responses: Pick<Responses, 'response'>, admitFree: FreeAdmission): LinkHandler =>
  async (context, call) => {
    const { path, query = '' } = call;
    if (new URLSearchParams(query).get('stream') === 'true')
      throw new GatewayError('invalid_request', { detail: 'stream: stored responses are not streamed' });
    const { headers, reader } = await admitFree(context, call);
    const found = await responses.response(reader, responseIdOf(path));
    if (!found) throw new GatewayError('not_found');
    return responseReply(found, headers, includesEncrypted(query));
  };
