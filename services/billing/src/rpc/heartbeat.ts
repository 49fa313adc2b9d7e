import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { HeartbeatRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/HeartbeatRequest';
import type { HeartbeatResponse } from '@gateway/proto/generated/gateway/billing/v1/HeartbeatResponse';
import type { RequestContext } from '@gateway/rpc';
import { recordHeartbeat } from '../settle/store/owners';
import { parseId } from './parse';

export const heartbeat =
  (pool: Pool) =>
  async (_context: RequestContext, request: HeartbeatRequest__Output): Promise<HeartbeatResponse> => {
    const epoch = BigInt(request.ownerEpoch);
    if (epoch < 0n) throw new GatewayError('invalid_request', { detail: 'owner_epoch is negative' });
    await recordHeartbeat(pool, parseId(request.ownerId, 'owner_id'), epoch);
    return {};
  };
