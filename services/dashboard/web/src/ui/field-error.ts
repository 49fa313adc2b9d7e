import { ApiError } from '../api/api-error';

/** Returns the API's error for one form field; undefined if the error concerns something else. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const prefix = `${field}: `;
  if (error.detail?.startsWith(prefix)) return sentence(error.detail.slice(prefix.length));
  return error.param === field ? error.message : undefined;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
