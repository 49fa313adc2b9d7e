import { ApiError } from '../../../api/api-error';

/** The prices were made against a version that is no longer the current one. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.code === 'invalid_request' &&
  (error.detail?.startsWith('if_version: the prices were changed meanwhile') ?? false);
