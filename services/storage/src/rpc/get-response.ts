import { GatewayError } from '@gateway/errors';
import { jsonReply, type LinkHandler } from '@gateway/link';
import { includesEncrypted, withoutEncrypted } from '../responses/rules/encrypted-content';
import type { Responses } from '../responses/store/responses';
import { type FreeAdmission, responseIdOf } from './response-call';

/** `GET /v1/responses/{id}`. */
export const getResponse =
  (responses: Pick<Responses, 'response'>, admitFree: FreeAdmission): LinkHandler =>
  async (context, { key, path, query = '' }) => {
    if (new URLSearchParams(query).get('stream') === 'true')
      throw new GatewayError('invalid_request', { detail: 'stream: only background responses are streamed' });
    const headers = await admitFree(context, key);
    const found = await responses.response(key.accountId, responseIdOf(path));
    if (!found) throw new GatewayError('not_found');
    const response = JSON.parse(found.toString());
    const output = includesEncrypted(query) ? response.output : withoutEncrypted(response.output);
    return jsonReply({ ...response, output }, headers);
  };
