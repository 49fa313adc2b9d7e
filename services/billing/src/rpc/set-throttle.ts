import type { Pool } from '@gateway/postgres';
import type { SetThrottleRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/SetThrottleRequest';
import type { Throttle } from '@gateway/proto/generated/gateway/billing/v1/Throttle';
import type { RequestContext } from '@gateway/rpc';
import { setThrottle as set } from '../rates/store/throttle';

export const setThrottle =
  (pool: Pool) =>
  async (_context: RequestContext, request: SetThrottleRequest__Output): Promise<Throttle> => ({
    requestsPerSecond: Number(await set(pool, BigInt(request.requestsPerSecond))),
  });
