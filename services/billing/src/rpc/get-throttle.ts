import type { Pool } from '@gateway/postgres';
import type { GetThrottleRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/GetThrottleRequest';
import type { Throttle } from '@gateway/proto/generated/gateway/billing/v1/Throttle';
import type { RequestContext } from '@gateway/rpc';
import { getThrottle as get } from '../rates/store/throttle';

export const getThrottle =
  (pool: Pool) =>
  async (_context: RequestContext, _request: GetThrottleRequest__Output): Promise<Throttle> => ({
    requestsPerSecond: Number(await get(pool)),
  });
