import type { Pool } from '@gateway/postgres';
import type { ClearTopupRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ClearTopupRequest';
import type { Topup } from '@gateway/proto/generated/gateway/billing/v1/Topup';
import type { RequestContext } from '@gateway/rpc';
import { clearTopup as clear } from '../ledger/store/topups';
import { parseLookupId } from './parse';
import { toProtoTopup } from './to-proto';

export const clearTopup =
  (pool: Pool) =>
  async (_context: RequestContext, request: ClearTopupRequest__Output): Promise<Topup> =>
    toProtoTopup(await clear(pool, parseLookupId(request.id)));
