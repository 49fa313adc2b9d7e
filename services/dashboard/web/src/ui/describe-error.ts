import { ApiError } from '../api/api-error';

/** Returns the error's message for the user. */
export function describeError(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Something went wrong on this page.';
  return error.detail ? `${error.message} ${sentence(error.detail)}` : error.message;
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
