import { GatewayError } from '@gateway/errors';

/** Every way in which a provider can fail a call, before it is put in the words of the public table. */
export type UpstreamFailure =
  | { readonly kind: 'unreachable'; readonly cause: unknown }
  | { readonly kind: 'broken'; readonly cause: unknown }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    };

/** System calls that only stand before a connection: whatever fails in them, there is none. */
const BEFORE_CONNECTION = new Set<unknown>(['connect', 'getaddrinfo']);

/** Refused, not found, no route, a certificate that does not hold: the provider as a whole is out of reach. */
const UNREACHABLE_CODES = new Set([
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
  'UND_ERR_CONNECT_TIMEOUT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Statuses that say that our account with the provider, not the call, is at fault. */
const OUR_FAULT_STATUSES = new Set([401, 402, 403, 404, 405]);
/** Statuses that say that the caller's parameters are at fault. */
const CALLER_FAULT_STATUSES = new Set([400, 413, 415, 422]);

/** A failed call to a provider, before it is known whether another can answer it. */
export class UpstreamError extends Error {
  readonly #failure: UpstreamFailure;

  constructor(failure: UpstreamFailure) {
    super(failure.kind === 'status' ? `provider answered ${failure.status}` : `provider ${failure.kind}`, {
      cause: failure.kind === 'status' ? undefined : failure.cause,
    });
    this.#failure = failure;
  }

  /** No property of its own, or it would be logged: a provider's message may quote the call. */
  get failure(): UpstreamFailure {
    return this.#failure;
  }
}

/** Another provider would refuse it as well. */
export function isCallersFault(failure: UpstreamFailure): boolean {
  return failure.kind === 'status' && CALLER_FAULT_STATUSES.has(failure.status);
}

/**
 * Of the failures of several targets the one that the caller is told: that which promises most of another try.
 * A provider that has to be waited for is there; one that failed can be reached.
 */
export function preferRetryable(one: UpstreamFailure, other: UpstreamFailure): UpstreamFailure {
  return hope(other) > hope(one) ? other : one;
}

function hope(failure: UpstreamFailure): number {
  if (failure.kind !== 'status') return failure.kind === 'broken' ? 1 : 0;
  if (failure.status === 429) return 2;
  return OUR_FAULT_STATUSES.has(failure.status) ? 0 : 1;
}

export function failureOf(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamError) return error.failure;
  return isUnreachable(error) ? { kind: 'unreachable', cause: error } : { kind: 'broken', cause: error };
}

function isUnreachable(error: unknown): boolean {
  const { code, syscall, errors } = (error ?? {}) as { code?: unknown; syscall?: unknown; errors?: unknown };
  // Of a name with several addresses, each of which was tried; the code is only that of the first.
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(isUnreachable);
  if (code === 'ECONNRESET') return false;
  return BEFORE_CONNECTION.has(syscall) || (typeof code === 'string' && UNREACHABLE_CODES.has(code));
}

/** Total: whatever a provider does has exactly one public error. */
export function toGatewayError(failure: UpstreamFailure): GatewayError {
  if (failure.kind === 'unreachable')
    return new GatewayError('upstream_unavailable', { cause: failure.cause });
  if (failure.kind === 'broken') return new GatewayError('upstream_failed', { cause: failure.cause });
  const cause = new Error(`provider answered ${failure.status}`);
  if (failure.status === 429) {
    // Without a wait of its own the target cools as long as that.
    return new GatewayError('rate_limited', { cause, retryAfterSeconds: failure.retryAfterSeconds ?? 1 });
  }
  if (OUR_FAULT_STATUSES.has(failure.status)) return new GatewayError('upstream_unavailable', { cause });
  if (CALLER_FAULT_STATUSES.has(failure.status)) {
    const detail = failure.message ?? 'the provider refused a parameter';
    // A refusal by policy is one of these: the same words would be refused again.
    return new GatewayError('invalid_request', { cause, detail, shouldRetry: false });
  }
  return new GatewayError('upstream_failed', { cause });
}
