import type { Pool } from '@gateway/postgres';
import type { LeaseThrottleRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/LeaseThrottleRequest';
import type { LeaseThrottleResponse } from '@gateway/proto/generated/gateway/billing/v1/LeaseThrottleResponse';
import type { RequestContext } from '@gateway/rpc';
import { leaseThrottle as lease } from '../rates/store/throttle';
import { parseId } from './parse';

export const leaseThrottle =
  (pool: Pool) =>
  async (_context: RequestContext, request: LeaseThrottleRequest__Output): Promise<LeaseThrottleResponse> => {
    const edgeId = parseId(request.edgeId, 'edge_id');
    const { throttled, permits, validMs } = await lease(pool, edgeId, BigInt(request.wanted));
    return { throttled, permits: Number(permits), validMs };
  };
