import { ProviderError } from '../provider-error';

const MESSAGES: Readonly<Record<number, string>> = {
  401: 'invalid api token',
  404: 'not found',
  429: 'You are past the rate limit, please wait and try again later.',
  500: 'internal server error, this has been reported to our developers.',
};

export const cohereError = (status: number, message: string): ProviderError =>
  new ProviderError(status, message, (id) => ({ id, message }));

export const errorOfStatus = (status: number, message?: string): ProviderError =>
  cohereError(status, message ?? MESSAGES[status] ?? 'The request was refused by its directive.');
