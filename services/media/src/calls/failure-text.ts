import { failureOf } from '@gateway/upstream';

/** How a provider failed, for the log: without its words, which may hold the caller's. */
export function failureText(error: unknown): string {
  const failure = failureOf(error);
  if (failure.kind === 'status') return `answered ${failure.status}`;
  const { cause } = failure;
  const { code } = (cause ?? {}) as { code?: unknown };
  return `${failure.kind}: ${typeof code === 'string' ? code : cause instanceof Error ? cause.name : 'unknown'}`;
}
