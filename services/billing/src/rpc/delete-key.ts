import type { Pool } from '@gateway/postgres';
import type { ApiKey } from '@gateway/proto/generated/gateway/billing/v1/ApiKey';
import type { DeleteKeyRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/DeleteKeyRequest';
import type { RequestContext } from '@gateway/rpc';
import { deleteKey as remove } from '../keys/store/change-key';
import { parseLookupId } from './parse';
import { toProtoKey } from './to-proto';

export const deleteKey =
  (pool: Pool) =>
  async (_context: RequestContext, request: DeleteKeyRequest__Output): Promise<ApiKey> =>
    toProtoKey(await remove(pool, parseLookupId(request.accountId), parseLookupId(request.id)));
