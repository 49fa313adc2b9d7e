import { ApiError } from '../../../api/api-error';

/** True if the prices were based on a version that is no longer current. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.code === 'invalid_request' &&
  (error.detail?.startsWith('if_version: prices have changed') ?? false);
