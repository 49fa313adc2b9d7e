import { GatewayError } from '@gateway/proto';

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
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Statuses that say that our account with the provider, not the call, is at fault. */
const OUR_FAULT_STATUSES = new Set([401, 402, 403, 404, 405]);
/** Statuses that say that the caller's parameters are at fault. */
const CALLER_FAULT_STATUSES = new Set([400, 413, 415, 422]);

export function failureOfError(error: unknown): UpstreamFailure {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  const neverConnected = code === 'ETIMEDOUT' && syscall === 'connect';
  return neverConnected || (typeof code === 'string' && UNREACHABLE_CODES.has(code))
    ? { kind: 'unreachable', cause: error }
    : { kind: 'broken', cause: error };
}

/** Total: whatever a provider does has exactly one public error. */
export function toGatewayError(failure: UpstreamFailure): GatewayError {
  if (failure.kind === 'unreachable')
    return new GatewayError('upstream_unavailable', { cause: failure.cause });
  if (failure.kind === 'broken') return new GatewayError('upstream_failed', { cause: failure.cause });
  const cause = new Error(`provider answered ${failure.status}`);
  if (failure.status === 429) {
    const retryAfterSeconds = failure.retryAfterSeconds;
    return new GatewayError('rate_limited', {
      cause,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  }
  if (OUR_FAULT_STATUSES.has(failure.status)) return new GatewayError('upstream_unavailable', { cause });
  if (CALLER_FAULT_STATUSES.has(failure.status)) {
    const detail = failure.message ?? 'the provider refused a parameter';
    return new GatewayError('invalid_request', { cause, detail });
  }
  return new GatewayError('upstream_failed', { cause });
}
