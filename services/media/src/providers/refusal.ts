import {
  providerRequestId,
  retryAfterOf,
  showableMessage,
  UpstreamError,
  type UpstreamFailure,
} from '@gateway/upstream';

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The provider's message, wherever its format has it. */
  readonly message?: unknown;
}

/** Returns what a provider's error status means. */
export function refusedBy({ status, headers, message }: Refusal): UpstreamError {
  const shown = showableMessage(message);
  const wait = retryAfterOf({ status, headers, message });
  const failure: UpstreamFailure = {
    kind: 'status',
    status,
    ...(shown !== undefined && { message: shown }),
    ...(wait !== undefined && { retryAfterSeconds: wait }),
  };
  return new UpstreamError(failure, providerRequestId(headers));
}

/** A successful reply without the ordered result. */
export function brokenReply(what: string, headers: Refusal['headers'] = {}): UpstreamError {
  return new UpstreamError({ kind: 'broken', cause: new Error(what) }, providerRequestId(headers));
}
