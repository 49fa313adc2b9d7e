import { GatewayError } from '@gateway/errors';
import type { LoadResponsesRequest__Output } from '@gateway/proto/generated/gateway/storage/v1/LoadResponsesRequest';
import type { RequestContext } from '@gateway/rpc';
import type { Responses } from '../responses/store/responses';

/** A message has 16 MiB, and one response up to 12 MiB. */
const MAX_PAGE_BYTES = 8 * 1024 ** 2;

export const loadResponses =
  (responses: Pick<Responses, 'load'>) =>
  async (_context: RequestContext, { accountId, wanted, onlyKeyId }: LoadResponsesRequest__Output) => {
    const found = await responses.load(
      { accountId, onlyKeyId: onlyKeyId || undefined },
      wanted,
      MAX_PAGE_BYTES,
    );
    if (found.length === 0 && wanted.length > 0) throw new GatewayError('not_found');
    return { responses: found };
  };
