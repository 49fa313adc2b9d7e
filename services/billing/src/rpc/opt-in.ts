import type { Pool } from '@gateway/postgres';
import type { Account } from '@gateway/proto/generated/gateway/billing/v1/Account';
import type { OptInRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/OptInRequest';
import type { RequestContext } from '@gateway/rpc';
import { optIn as opt } from '../accounts/store/change-account';
import { parseId, parseLookupId } from './parse';
import { toProtoAccount } from './to-proto';

export const optIn =
  (pool: Pool) =>
  async (_context: RequestContext, request: OptInRequest__Output): Promise<Account> =>
    toProtoAccount(await opt(pool, parseLookupId(request.accountId), parseId(request.model, 'model')));
