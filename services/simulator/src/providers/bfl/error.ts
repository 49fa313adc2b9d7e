import { ProviderError } from '../provider-error';

const MESSAGES: Readonly<Record<number, string>> = {
  402: 'Insufficient credits.',
  403: 'Not authenticated - Invalid Authentication',
  404: 'Not Found',
  429: 'Rate limit exceeded.',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Returns an error of api.bfl.ai, which uses FastAPI's format; docs.bfl.ai, "Errors", lists the statuses. */
export function errorOfStatus(status: number, message?: string): ProviderError {
  const detail = message ?? MESSAGES[status] ?? 'The request was refused by its directive.';
  return new ProviderError(status, detail, () => ({ detail }));
}

export const invalid = (field: string, msg: string) =>
  new ProviderError(422, msg, () => ({ detail: [{ type: 'value_error', loc: ['body', field], msg }] }));

/** The body of an unknown task is like that of any poll. */
export function taskNotFound(id: string): ProviderError {
  const status = 'Task not found';
  return new ProviderError(404, status, () => ({ id, status, result: null, progress: null, details: null }));
}
