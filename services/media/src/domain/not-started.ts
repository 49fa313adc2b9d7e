import { failureOf, UpstreamError, type UpstreamFailure, type Verdict } from '@gateway/upstream';
import { mayHaveArrived } from './may-have-arrived';
import { MediaRefused } from './media-refused';

/** Statuses for problems of our account, its permissions or its rate: the provider started nothing. */
const REFUSED_BEFORE_START = new Set([401, 402, 403, 404, 405, 429]);

/** No target started the request. */
export class NotStarted extends UpstreamError {
  readonly mayHaveArrived = false;
}

/** Whether the target certainly did not start the request, so that another target may be tried. */
export function isNotStarted(error: unknown): boolean {
  if (!(error instanceof UpstreamError)) return false;
  const { failure } = error;
  if (failure.kind === 'unreachable' || !mayHaveArrived(error)) return true;
  return failure.kind === 'status' && REFUSED_BEFORE_START.has(failure.status);
}

/**
 * Judges the error of a request that must not be repeated if it may have been carried out.
 * @param toFailure reads the failure of a target that did not refuse the request
 */
export function onceVerdict(
  error: unknown,
  toFailure: (error: unknown) => UpstreamFailure = failureOf,
): Verdict {
  return {
    failure: error instanceof MediaRefused ? undefined : toFailure(error),
    isFinal: !isNotStarted(error),
  };
}
