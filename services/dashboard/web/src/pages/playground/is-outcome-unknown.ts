import { ApiError } from '../../api/api-error';

/** Errors that leave open whether the request was or will be executed. */
const UNKNOWN: readonly string[] = [
  'network',
  'image_generation_timeout',
  'internal_error',
  'upstream_failed',
];

/** Returns whether something may have been generated and charged although the request failed. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof ApiError && UNKNOWN.includes(error.code);
