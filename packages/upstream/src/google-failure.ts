import { listOf, membersOf, textOf } from './json-value';
import { retryAfterSeconds } from './parse-retry-after';
import type { UpstreamFailure } from './upstream-failure';

/** Google does not accept the credential itself. */
const REJECTED_REASON = /^API_KEY_/;
/** For errors without details. Matched at the start, because messages quote the call further on. */
const REJECTED_MESSAGE = /^(your )?API key (not valid|expired|not found|must be|was reported)/i;
const MESSAGE_STATUSES = new Set(['INVALID_ARGUMENT', 'PERMISSION_DENIED']);
/** Statuses and reasons of the operator's account, which the client can't fix. */
const OPERATOR_STATUSES = new Set(['PERMISSION_DENIED', 'FAILED_PRECONDITION']);
const OPERATOR_REASON = /^(BILLING_|SERVICE_DISABLED$|CONSUMER_|USER_PROJECT_DENIED$|LOCATION_)/;
const OPERATOR_MESSAGE = /^User location is not supported/i;

/**
 * Returns the failure in a body `{"error": {code, message, status, details}}` if it differs from the HTTP status: Google answers
 * 400 for an invalid key and for missing permissions of the operator's account, and puts the wait of a 429 in the body
 * (google.rpc.ErrorInfo and RetryInfo; ai.google.dev/gemini-api/docs/troubleshooting). Some responses are wrapped in an array.
 * The status is 401 only if the credential itself is rejected: without a permission, such as for one model or file, other calls
 * may work.
 */
export function googleFailure({
  status,
  body,
}: {
  readonly status: number;
  readonly body: unknown;
}): UpstreamFailure | undefined {
  const error = membersOf(membersOf(Array.isArray(body) ? body[0] : body).error);
  const details = listOf(error.details).map(membersOf);
  if (isRejected(error, details)) return { kind: 'status', status: 401 };
  if (isOperatorError(error, details)) return { kind: 'status', status: 403 };
  if (status === 429) {
    const seconds = retryDelay(details);
    return seconds === undefined ? undefined : { kind: 'status', status, retryAfterSeconds: seconds };
  }
  return undefined;
}

type ErrorDetails = readonly Record<string, unknown>[];

function isRejected(error: Record<string, unknown>, details: ErrorDetails): boolean {
  if (error.status === 'UNAUTHENTICATED' || hasReason(details, REJECTED_REASON)) return true;
  return MESSAGE_STATUSES.has(textOf(error.status)) && REJECTED_MESSAGE.test(textOf(error.message));
}

function isOperatorError(error: Record<string, unknown>, details: ErrorDetails): boolean {
  if (OPERATOR_STATUSES.has(textOf(error.status)) || hasReason(details, OPERATOR_REASON)) return true;
  return error.status === 'INVALID_ARGUMENT' && OPERATOR_MESSAGE.test(textOf(error.message));
}

const hasReason = (details: ErrorDetails, pattern: RegExp): boolean =>
  details.some(({ reason }) => pattern.test(textOf(reason)));

/** Whole seconds of google.rpc.RetryInfo, e.g. `13.4s`. */
function retryDelay(details: ErrorDetails): number | undefined {
  for (const { retryDelay: delay } of details) {
    const seconds = retryAfterSeconds(delay);
    if (seconds !== undefined) return seconds;
  }
  return undefined;
}
