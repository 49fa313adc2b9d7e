import { failureOf, UpstreamError } from '@gateway/upstream';

/** Describes a provider's failure for the log, without the provider's message, which may contain the client's text. */
export function failureFacts(error: unknown): { failure: string; providerRequestId?: string } {
  const id = error instanceof UpstreamError ? error.providerRequestId : undefined;
  return { failure: failureText(error), ...(id !== undefined && { providerRequestId: id }) };
}

function failureText(error: unknown): string {
  const failure = failureOf(error);
  if (failure.kind === 'status') return `answered ${failure.status}`;
  const { cause } = failure;
  const { code } = (cause ?? {}) as { code?: unknown };
  return `${failure.kind}: ${typeof code === 'string' ? code : cause instanceof Error ? cause.name : 'unknown'}`;
}
