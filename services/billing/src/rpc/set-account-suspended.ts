import type { Pool } from '@gateway/postgres';
import type { Account } from '@gateway/proto/generated/gateway/billing/v1/Account';
import type { SetAccountSuspendedRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/SetAccountSuspendedRequest';
import type { RequestContext } from '@gateway/rpc';
import { setAccountSuspended as set } from '../accounts/store/change-account';
import { parseLookupId } from './parse';
import { toProtoAccount } from './to-proto';

export const setAccountSuspended =
  (pool: Pool) =>
  async (_context: RequestContext, request: SetAccountSuspendedRequest__Output): Promise<Account> =>
    toProtoAccount(await set(pool, parseLookupId(request.id), request.suspended));
