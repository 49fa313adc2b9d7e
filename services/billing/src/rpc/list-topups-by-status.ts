import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { ListTopupsByStatusRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ListTopupsByStatusRequest';
import type { ListTopupsByStatusResponse } from '@gateway/proto/generated/gateway/billing/v1/ListTopupsByStatusResponse';
import type { RequestContext } from '@gateway/rpc';
import { listTopupsByStatus as list, type TopupRow } from '../ledger/store/topups';
import { toPageRequest } from '../store/page';
import { toProtoTopup } from './to-proto';

const STATUS: Readonly<Record<string, TopupRow['status']>> = {
  TOPUP_STATUS_PENDING: 'pending',
  TOPUP_STATUS_CLEARED: 'cleared',
  TOPUP_STATUS_VOIDED: 'voided',
};

export const listTopupsByStatus =
  (pool: Pool) =>
  async (
    _context: RequestContext,
    request: ListTopupsByStatusRequest__Output,
  ): Promise<ListTopupsByStatusResponse> => {
    const status = STATUS[request.status];
    if (!status) {
      throw new GatewayError('invalid_request', { detail: 'status: must be pending, cleared or voided' });
    }
    const { rows, nextCursor } = await list(pool, status, toPageRequest(request.limit, request.cursor));
    return { topups: rows.map(toProtoTopup), nextCursor };
  };
