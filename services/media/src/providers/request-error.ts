import { failureOf, UpstreamError } from '@gateway/upstream';

/** A request without a complete reply. */
export class RequestError extends UpstreamError {
  /** Part of it was sent, so its effect is unknown: it must not be repeated. */
  readonly mayHaveArrived: boolean;

  constructor(cause: unknown, mayHaveArrived: boolean, providerRequestId?: string) {
    const failure = failureOf(cause);
    // Something was sent, so the provider was reachable.
    super(
      mayHaveArrived && failure.kind === 'unreachable' ? { kind: 'broken', cause } : failure,
      providerRequestId,
    );
    this.mayHaveArrived = mayHaveArrived;
  }
}
