import { failureOf } from '@gateway/upstream';

/** Describes a provider's failure for the log, without the provider's message, which may contain the client's text. */
export function failureText(error: unknown): string {
  const failure = failureOf(error);
  if (failure.kind === 'status') return `answered ${failure.status}`;
  const { cause } = failure;
  const { code } = (cause ?? {}) as { code?: unknown };
  return `${failure.kind}: ${typeof code === 'string' ? code : cause instanceof Error ? cause.name : 'unknown'}`;
}
