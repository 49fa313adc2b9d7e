import { UpstreamError } from '@gateway/upstream';
import { mayHaveArrived } from './may-have-arrived';

/** Statuses for problems of our account, its permissions or its rate: the provider started nothing. */
const REFUSED_BEFORE_START = new Set([401, 402, 403, 404, 405, 429]);

/** No target started the order. */
export class NotStarted extends UpstreamError {
  readonly mayHaveArrived = false;
}

/** Whether the target certainly did not start the order, so that another target may be tried. */
export function isNotStarted(error: unknown): boolean {
  if (!(error instanceof UpstreamError)) return false;
  const { failure } = error;
  if (failure.kind === 'unreachable' || !mayHaveArrived(error)) return true;
  return failure.kind === 'status' && REFUSED_BEFORE_START.has(failure.status);
}
