import { retryAfterSeconds, showableMessage, UpstreamError, type UpstreamFailure } from '@gateway/upstream';

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The provider's words, wherever its format has them. */
  readonly message?: unknown;
}

/** What a provider's error status says. */
export function refusedBy({ status, headers, message }: Refusal): UpstreamError {
  const shown = showableMessage(message);
  const wait = retryAfterSeconds(headers['retry-after']);
  const failure: UpstreamFailure = {
    kind: 'status',
    status,
    ...(shown !== undefined && { message: shown }),
    ...(wait !== undefined && { retryAfterSeconds: wait }),
  };
  return new UpstreamError(failure);
}

/** A reply of success that is not what was ordered. */
export function brokenReply(what: string): UpstreamError {
  return new UpstreamError({ kind: 'broken', cause: new Error(what) });
}
