import type { Pool } from '@gateway/postgres';
import type { Topup } from '@gateway/proto/generated/gateway/billing/v1/Topup';
import type { VoidTopupRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/VoidTopupRequest';
import type { RequestContext } from '@gateway/rpc';
import { voidTopup as makeVoid } from '../ledger/store/topups';
import { parseLookupId } from './parse';
import { toProtoTopup } from './to-proto';

export const voidTopup =
  (pool: Pool) =>
  async (_context: RequestContext, request: VoidTopupRequest__Output): Promise<Topup> =>
    toProtoTopup(await makeVoid(pool, parseLookupId(request.id)));
