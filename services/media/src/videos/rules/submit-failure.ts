import { GatewayError } from '@gateway/errors';
import { failureOf, toGatewayError, type UpstreamFailure } from '@gateway/upstream';
import { mayHaveArrived } from '../../domain/may-have-arrived';
import { MediaRefused } from '../../domain/media-refused';

/** The public error of a failed submit, and what it means for its bill. */
export interface SubmitFailure {
  readonly error: GatewayError;
  /** `lost`: there may be a task, which can't be found. */
  readonly bill: 'released' | 'lost';
}

/** Statuses that concern our account with the provider. */
const OUR_FAULT = new Set([401, 402, 403, 404, 405]);
const CALLERS_FAULT = new Set([400, 413, 415, 422]);
/** Statuses of intermediaries, which do not know the outcome. */
const INTERMEDIARY_STATUSES = new Set([408, 502, 504]);

const DOUBT = 'the provider may have accepted the request; it was not charged and will not be retried';

/** Returns the failure of a submit. A provider that received nothing is unreachable, also after a reset during the handshake. */
export function failureOfSubmit(error: unknown): UpstreamFailure {
  const failure = failureOf(error);
  if (failure.kind !== 'broken' || mayHaveArrived(error)) return failure;
  return { kind: 'unreachable', cause: failure.cause };
}

/** Returns the public error of what a submit threw, and what it means for the bill. */
export const submitFailureOf = (error: unknown): SubmitFailure =>
  error instanceof MediaRefused ? refused(error.detail) : submitFailure(failureOfSubmit(error));

/** Maps every failure of a submit to exactly one public error. */
export function submitFailure(failure: UpstreamFailure): SubmitFailure {
  if (failure.kind === 'unreachable') {
    return released(new GatewayError('upstream_unavailable', { cause: failure.cause }));
  }
  if (failure.kind === 'broken') {
    return { error: inDoubt(failure.cause), bill: 'lost' };
  }
  const { status, message } = failure;
  const cause = new Error(`provider answered ${status}`);
  if (INTERMEDIARY_STATUSES.has(status)) {
    const error = new GatewayError('video_generation_failed', { cause, detail: DOUBT, shouldRetry: false });
    return { error, bill: 'lost' };
  }
  if (status === 429) return released(toGatewayError(failure));
  if (OUR_FAULT.has(status)) return released(new GatewayError('upstream_unavailable', { cause }));
  if (CALLERS_FAULT.has(status)) return refused(message ?? 'the provider refused a parameter');
  return released(
    new GatewayError('video_generation_failed', { cause, ...(message !== undefined && { detail: message }) }),
  );
}

/** The outcome of the order is unknown. */
export function inDoubt(cause: unknown): GatewayError {
  return new GatewayError('upstream_failed', { cause, detail: DOUBT, shouldRetry: false });
}

/** Refused by policy or as unsupported: the same order would be refused again. */
function refused(detail: string): SubmitFailure {
  return released(new GatewayError('video_generation_failed', { detail, shouldRetry: false }));
}

const released = (error: GatewayError): SubmitFailure => ({ error, bill: 'released' });
