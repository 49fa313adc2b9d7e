import { apiGet, apiPost } from './client';

export interface PlatformThrottle {
  /** All callers together; null: no throttle. */
  readonly requests_per_second: number | null;
}

export const getThrottle = () => apiGet<PlatformThrottle>('admin/throttle');
export const setThrottle = (requestsPerSecond: number | null) =>
  apiPost<PlatformThrottle>('admin/throttle', { requests_per_second: requestsPerSecond });
