import { ApiError } from '../../api/api-error';

/** Ends of which nobody knows whether the order was carried out, or still will be. */
const UNKNOWN: readonly string[] = [
  'network',
  'image_generation_timeout',
  'internal_error',
  'upstream_failed',
];

/** Whether something may have been made, and charged, though the order failed. */
export const isEndUnknown = (error: unknown): boolean =>
  error instanceof ApiError && UNKNOWN.includes(error.code);
