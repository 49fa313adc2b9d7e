import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { GetRequestRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/GetRequestRequest';
import type { RequestRecord } from '@gateway/proto/generated/gateway/billing/v1/RequestRecord';
import type { RequestContext } from '@gateway/rpc';
import { isUuid } from '../reserve/rules/request-id';
import { findRequest } from '../usage/store/request-records';
import { parseLookupId } from './parse';
import { toProtoRequestRecord } from './to-proto-records';

export const getRequest =
  (pool: Pool) =>
  async (_context: RequestContext, { accountId, id }: GetRequestRequest__Output): Promise<RequestRecord> => {
    const row = isUuid(id) ? await findRequest(pool, parseLookupId(accountId), id) : undefined;
    if (!row) throw new GatewayError('not_found');
    return toProtoRequestRecord(row);
  };
