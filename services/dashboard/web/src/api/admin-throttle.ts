import type { PlatformThrottle, ThrottleInput } from '../../../src/api/accounts';
import { apiGet, apiPost } from './client';

export const getThrottle = () => apiGet<PlatformThrottle>('admin/throttle');
export const setThrottle = (requestsPerSecond: number | null) =>
  apiPost<PlatformThrottle>('admin/throttle', {
    requests_per_second: requestsPerSecond,
  } satisfies ThrottleInput);
