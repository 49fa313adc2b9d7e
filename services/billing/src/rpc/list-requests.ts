import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { ListRequestsRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ListRequestsRequest';
import type { ListRequestsResponse } from '@gateway/proto/generated/gateway/billing/v1/ListRequestsResponse';
import type { RequestContext } from '@gateway/rpc';
import { isUuid } from '../reserve/rules/request-id';
import { toPageRequest } from '../store/page';
import { listRequests as list, type RequestFilter } from '../usage/store/request-records';
import { parseLookupId, parseTime } from './parse';
import { timeoutToInvalidRequest } from './refuse-timeout';
import { toProtoRequestRecord } from './to-proto-records';

export const listRequests =
  (pool: Pool) =>
  async (_context: RequestContext, request: ListRequestsRequest__Output): Promise<ListRequestsResponse> =>
    pageOfRequests(pool, parseLookupId(request.accountId), request);

/** @param accountId undefined: all accounts */
export async function pageOfRequests(
  pool: Pool,
  accountId: string | undefined,
  request: ListRequestsRequest__Output,
): Promise<ListRequestsResponse> {
  const { limit } = toPageRequest(request.limit, '');
  if (request.cursor !== '' && !isUuid(request.cursor)) {
    throw new GatewayError('invalid_request', { detail: 'cursor: invalid cursor' });
  }
  const page = { limit, before: request.cursor || undefined };
  const found = list(pool, accountId, toFilter(request), page);
  const { rows, nextCursor } = await found.catch(timeoutToInvalidRequest(NARROWER));
  return { requests: rows.map(toProtoRequestRecord), nextCursor };
}

const NARROWER = 'the query took too long; narrow the range with from and to, or filter by key_id';

/** The last moment that a request id can encode. */
const MAX_ID_TIME_MS = 2 ** 48 - 1;

function toFilter(request: ListRequestsRequest__Output): RequestFilter {
  const time = (value: string, field: string) => Math.min(Number(parseTime(value, field)), MAX_ID_TIME_MS);
  return {
    ...(request.fromMs !== '0' && { fromMs: time(request.fromMs, 'from') }),
    ...(request.toMs !== '0' && { toMs: time(request.toMs, 'to') }),
    ...(request.keyId !== '' && { keyId: parseLookupId(request.keyId) }),
    ...(request.model !== '' && { model: parseLookupId(request.model) }),
    ...(request.status !== 0 && { status: request.status }),
    ...(request.errorCode !== '' && { errorCode: parseLookupId(request.errorCode) }),
    ...(request.end === 'REQUEST_END_OK' && { end: 'ok' }),
    ...(request.end === 'REQUEST_END_FAILED' && { end: 'failed' }),
    ...(request.end === 'REQUEST_END_IN_PROGRESS' && { end: 'in_progress' }),
  };
}
