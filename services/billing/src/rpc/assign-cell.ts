import type { Pool } from '@gateway/postgres';
import type { AssignCellRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/AssignCellRequest';
import type { Cell } from '@gateway/proto/generated/gateway/billing/v1/Cell';
import type { RequestContext } from '@gateway/rpc';
import { assignCell as assign } from '../directory/store/directory';
import { parseId } from './parse';

export const assignCell =
  (pool: Pool) =>
  async (_context: RequestContext, { accountId, cell }: AssignCellRequest__Output): Promise<Cell> => ({
    name: await assign(pool, parseId(accountId, 'account_id'), cell),
  });
