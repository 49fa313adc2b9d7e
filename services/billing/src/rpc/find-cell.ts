import type { Pool } from '@gateway/postgres';
import type { Cell } from '@gateway/proto/generated/gateway/billing/v1/Cell';
import type { FindCellRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/FindCellRequest';
import type { RequestContext } from '@gateway/rpc';
import { findCell as find } from '../directory/store/directory';
import { parseLookupId } from './parse';

export const findCell =
  (pool: Pool) =>
  async (_context: RequestContext, { accountId }: FindCellRequest__Output): Promise<Cell> => ({
    name: await find(pool, parseLookupId(accountId)),
  });
