import { GatewayError } from '@gateway/errors';

/** All ways in which a provider can fail a call, before they are mapped to the public error table. */
export type UpstreamFailure =
  | { readonly kind: 'unreachable'; readonly cause: unknown }
  | { readonly kind: 'broken'; readonly cause: unknown }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    };

/** System calls that precede a connection: if one fails, there is no connection. */
const BEFORE_CONNECTION = new Set<unknown>(['connect', 'getaddrinfo']);

/** Refused, not found, no route, invalid certificate: the whole provider is unreachable. */
const UNREACHABLE_CODES = new Set([
  'ADDRESS_REFUSED',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
  'EAI_FAIL',
  'CONNECT_TIMEOUT',
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Statuses caused by the operator's account with the provider. */
const OPERATOR_FAULT_STATUSES = new Set([401, 402, 403, 404, 405]);
/** Statuses caused by the client's parameters. */
const CLIENT_FAULT_STATUSES = new Set([400, 413, 415, 422]);

/** A failed call to a provider, before it is known whether another target can answer it. */
export class UpstreamError extends Error {
  readonly #failure: UpstreamFailure;
  /** The provider's own id of the request, for the log. */
  declare readonly providerRequestId?: string;

  constructor(failure: UpstreamFailure, providerRequestId?: string) {
    super(failure.kind === 'status' ? `provider answered ${failure.status}` : `provider ${failure.kind}`, {
      cause: failure.kind === 'status' ? undefined : failure.cause,
    });
    this.#failure = failure;
    if (providerRequestId !== undefined) this.providerRequestId = providerRequestId;
  }

  /** Not an own property, so that it is not logged: a provider's message may quote the call. */
  get failure(): UpstreamFailure {
    return this.#failure;
  }
}

/** Whether the operator's account at the provider is the cause, such as a missing permission, model or payment. */
export function isOperatorFault(failure: UpstreamFailure): boolean {
  return failure.kind === 'status' && OPERATOR_FAULT_STATUSES.has(failure.status);
}

/** Whether the provider refuses to answer this call with this credential. */
export function isForbidden(failure: UpstreamFailure): boolean {
  return failure.kind === 'status' && failure.status === 403;
}

/** Whether the provider rejected the credential itself. */
export function isRejectedCredential(failure: UpstreamFailure): boolean {
  return failure.kind === 'status' && failure.status === 401;
}

/** Whether the account of the credential has no funds, or not enough for the call. */
export function isUnpaidAccount(failure: UpstreamFailure): boolean {
  return failure.kind === 'status' && failure.status === 402;
}

/** Whether another provider would refuse the call too. */
export function isClientError(failure: UpstreamFailure): boolean {
  return failure.kind === 'status' && CLIENT_FAULT_STATUSES.has(failure.status);
}

/**
 * Returns which of the failures of two targets to report: the one after which a retry is more likely to succeed. A rate
 * limited provider is up; one that failed can at least be reached.
 */
export function preferRetryable(one: UpstreamFailure, other: UpstreamFailure): UpstreamFailure {
  const [first, second] = [retryPriority(one), retryPriority(other)];
  if (first !== second) return second > first ? other : one;
  return waitSeconds(other) < waitSeconds(one) ? other : one;
}

/** 0 for a failure other than a rate limit, which says nothing of a wait. */
const waitSeconds = (failure: UpstreamFailure): number =>
  failure.kind === 'status' && failure.status === 429 ? (failure.retryAfterSeconds ?? 1) : 0;

function retryPriority(failure: UpstreamFailure): number {
  if (failure.kind !== 'status') return failure.kind === 'broken' ? 1 : 0;
  if (failure.status === 429) return 2;
  return OPERATOR_FAULT_STATUSES.has(failure.status) ? 0 : 1;
}

export function failureOf(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamError) return error.failure;
  return isUnreachable(error) ? { kind: 'unreachable', cause: error } : { kind: 'broken', cause: error };
}

function isUnreachable(error: unknown): boolean {
  const { code, syscall, errors } = (error ?? {}) as { code?: unknown; syscall?: unknown; errors?: unknown };
  // Node tries each address of the host; `code` is only that of the first error.
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(isUnreachable);
  if (code === 'ECONNRESET') return false;
  return BEFORE_CONNECTION.has(syscall) || (typeof code === 'string' && UNREACHABLE_CODES.has(code));
}

/** Maps every failure of a provider to exactly one public error. */
export function toGatewayError(failure: UpstreamFailure): GatewayError {
  if (failure.kind === 'unreachable')
    return new GatewayError('upstream_unavailable', { cause: failure.cause });
  if (failure.kind === 'broken') return new GatewayError('upstream_failed', { cause: failure.cause });
  const cause = new Error(`provider answered ${failure.status}`);
  if (failure.status === 429) {
    // Without a wait from the provider, the target cools for the default time.
    return new GatewayError('rate_limited', { cause, retryAfterSeconds: failure.retryAfterSeconds ?? 1 });
  }
  if (OPERATOR_FAULT_STATUSES.has(failure.status)) return new GatewayError('upstream_unavailable', { cause });
  if (CLIENT_FAULT_STATUSES.has(failure.status)) {
    const detail = failure.message ?? 'the provider refused a parameter';
    // Includes refusals by policy: the same text would be refused again.
    return new GatewayError('invalid_request', { cause, detail, shouldRetry: false });
  }
  return new GatewayError('upstream_failed', { cause });
}
