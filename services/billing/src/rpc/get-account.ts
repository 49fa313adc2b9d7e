import type { Pool } from '@gateway/postgres';
import type { Account } from '@gateway/proto/generated/gateway/billing/v1/Account';
import type { GetAccountRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/GetAccountRequest';
import type { RequestContext } from '@gateway/rpc';
import { getAccount as get } from '../accounts/store/accounts';
import { parseLookupId } from './parse';
import { toProtoAccount } from './to-proto';

export const getAccount =
  (pool: Pool) =>
  async (_context: RequestContext, request: GetAccountRequest__Output): Promise<Account> =>
    toProtoAccount(await get(pool, parseLookupId(request.id)));
