import type { Pool } from '@gateway/postgres';
import type { GetKeyContextRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/GetKeyContextRequest';
import type { GetKeyContextResponse } from '@gateway/proto/generated/gateway/billing/v1/GetKeyContextResponse';
import type { RequestContext } from '@gateway/rpc';
import { findKnownKey } from '../keys/store/keys';
import { parseLookupId } from './parse';
import { toResolvedKey } from './to-resolved-key';

export const getKeyContext =
  (pool: Pool, cell: string) =>
  async (_context: RequestContext, request: GetKeyContextRequest__Output): Promise<GetKeyContextResponse> => {
    const valueId = request.valueId === '' ? '' : parseLookupId(request.valueId);
    const row = await findKnownKey(
      pool,
      parseLookupId(request.accountId),
      parseLookupId(request.keyId),
      valueId,
    );
    return { key: toResolvedKey(row, cell).key };
  };
