import { GatewayError } from '@gateway/errors';
import { jsonReply, type LinkHandler } from '@gateway/link';
import { includesEncrypted, withoutEncrypted } from '../responses/rules/encrypted-content';
import { itemPage, parseItemPage } from '../responses/rules/item-page';
import type { Responses } from '../responses/store/responses';
import { type FreeAdmission, responseIdOf } from './response-call';

/** `GET /v1/responses/{id}/input_items`: the items of the call itself, without those of previous responses. */
export const listInputItems =
  (responses: Pick<Responses, 'input'>, admitFree: FreeAdmission): LinkHandler =>
  async (context, call) => {
    const { path, query = '' } = call;
    const page = parseItemPage(query);
    const { headers, reader } = await admitFree(context, call);
    const found = await responses.input(reader, responseIdOf(path));
    if (!found) throw new GatewayError('not_found');
    const listed = itemPage(JSON.parse(found.toString()), page);
    const data = includesEncrypted(query) ? listed.data : withoutEncrypted(listed.data);
    return jsonReply({ ...listed, data }, headers);
  };
