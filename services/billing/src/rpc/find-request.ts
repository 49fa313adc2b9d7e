import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { FindRequestRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/FindRequestRequest';
import type { RequestRecord } from '@gateway/proto/generated/gateway/billing/v1/RequestRecord';
import type { RequestContext } from '@gateway/rpc';
import { isUuid } from '../reserve/rules/request-id';
import { findAnyRequest } from '../usage/store/find-any-request';
import { toProtoRequestRecord } from './to-proto-records';

/** For operators: finds a request of any account. */
export const findRequest =
  (pool: Pool) =>
  async (_context: RequestContext, { id }: FindRequestRequest__Output): Promise<RequestRecord> => {
    const row = isUuid(id) ? await findAnyRequest(pool, id) : undefined;
    if (!row) throw new GatewayError('not_found');
    return { ...toProtoRequestRecord(row), userId: row.user_id };
  };
