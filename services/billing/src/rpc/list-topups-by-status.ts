import { GatewayError } from '@gateway/proto';
import type { ListTopupsByStatusRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ListTopupsByStatusRequest';
import type { ListTopupsByStatusResponse } from '@gateway/proto/generated/gateway/billing/v1/ListTopupsByStatusResponse';
import type { Pool, RequestContext } from '@gateway/runtime';
import { toPageRequest } from '../store/page';
import { listTopupsByStatus as list } from '../store/topups';
import { toProtoTopup } from './to-proto';

export const listTopupsByStatus =
  (pool: Pool) =>
  async (
    _context: RequestContext,
    request: ListTopupsByStatusRequest__Output,
  ): Promise<ListTopupsByStatusResponse> => {
    if (request.status === 'TOPUP_STATUS_UNSPECIFIED') {
      throw new GatewayError('invalid_request', { detail: 'status is neither pending nor cleared' });
    }
    const status = request.status === 'TOPUP_STATUS_CLEARED' ? 'cleared' : 'pending';
    const { rows, nextCursor } = await list(pool, status, toPageRequest(request.limit, request.cursor));
    return { topups: rows.map(toProtoTopup), nextCursor };
  };
