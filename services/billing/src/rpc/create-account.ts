import type { Pool } from '@gateway/postgres';
import type { Account } from '@gateway/proto/generated/gateway/billing/v1/Account';
import type { CreateAccountRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/CreateAccountRequest';
import type { RequestContext } from '@gateway/rpc';
import { createAccount as create } from '../accounts/store/accounts';
import { parseId, parseName } from './parse';
import { toProtoAccount } from './to-proto';

export const createAccount =
  (pool: Pool) =>
  async (_context: RequestContext, request: CreateAccountRequest__Output): Promise<Account> =>
    toProtoAccount(await create(pool, parseId(request.id, 'id'), parseName(request.name, 'name')));
