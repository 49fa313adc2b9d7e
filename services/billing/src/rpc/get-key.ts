import type { Pool } from '@gateway/postgres';
import type { ApiKey } from '@gateway/proto/generated/gateway/billing/v1/ApiKey';
import type { GetKeyRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/GetKeyRequest';
import type { RequestContext } from '@gateway/rpc';
import { getKey as get } from '../keys/store/keys';
import { parseLookupId } from './parse';
import { toProtoKey } from './to-proto';

export const getKey =
  (pool: Pool) =>
  async (_context: RequestContext, request: GetKeyRequest__Output): Promise<ApiKey> =>
    toProtoKey(await get(pool, parseLookupId(request.accountId), parseLookupId(request.id)));
