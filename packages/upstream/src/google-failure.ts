import { listOf, membersOf, textOf } from './json-value';
import { wholeRetrySeconds } from './parse-retry-after';
import type { UpstreamFailure } from './upstream-failure';

/** Statuses and reasons that concern the operator's account or credential, which the client can't fix. */
const OPERATOR_STATUSES = new Set(['UNAUTHENTICATED', 'PERMISSION_DENIED', 'FAILED_PRECONDITION']);
const OPERATOR_REASONS = /^(API_KEY_|BILLING_|SERVICE_DISABLED$|CONSUMER_|USER_PROJECT_DENIED$|LOCATION_)/;
/** For errors without details. Matched at the start, because messages quote the call further on. */
const OPERATOR_MESSAGE = /^(API key (not valid|expired|not found|must be)|User location is not supported)/i;
const DURATION = /^(\d{1,9})(?:\.(\d{1,9}))?s$/;

/**
 * Returns the failure in a body `{"error": {code, message, status, details}}` if it differs from the HTTP status: Google answers
 * 400 for an invalid key and for missing permissions of the operator's account, and puts the wait of a 429 in the body
 * (google.rpc.ErrorInfo and RetryInfo; ai.google.dev/gemini-api/docs/troubleshooting). Some responses are wrapped in an array.
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
  if (isOperatorError(error, details)) return { kind: 'status', status: 401 };
  if (status === 429) {
    const retryAfterSeconds = retryAfter(details);
    return retryAfterSeconds === undefined ? undefined : { kind: 'status', status, retryAfterSeconds };
  }
  return undefined;
}

function isOperatorError(
  error: Record<string, unknown>,
  details: readonly Record<string, unknown>[],
): boolean {
  if (OPERATOR_STATUSES.has(textOf(error.status))) return true;
  if (details.some(({ reason }) => OPERATOR_REASONS.test(textOf(reason)))) return true;
  return error.status === 'INVALID_ARGUMENT' && OPERATOR_MESSAGE.test(textOf(error.message));
}

/** Whole seconds of `retryDelay`, e.g. `13.4s`. */
function retryAfter(details: readonly Record<string, unknown>[]): number | undefined {
  for (const { retryDelay } of details) {
    const match = DURATION.exec(textOf(retryDelay));
    if (match) return wholeRetrySeconds(Number.parseFloat(match[0]));
  }
  return undefined;
}
