import { failureOf, UpstreamError } from '@gateway/upstream';

/** A request without a whole reply. */
export class RequestError extends UpstreamError {
  /** Something of it was sent, so that nobody knows what the provider made of it: it must not be repeated. */
  readonly mayHaveArrived: boolean;

  constructor(cause: unknown, mayHaveArrived: boolean) {
    const failure = failureOf(cause);
    // What was sent reached somebody.
    super(mayHaveArrived && failure.kind === 'unreachable' ? { kind: 'broken', cause } : failure);
    this.mayHaveArrived = mayHaveArrived;
  }
}
