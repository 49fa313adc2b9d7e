import { GatewayError } from '@gateway/errors';
import { UpstreamError } from './upstream-failure';

/** Of requests with which an operator tests a provider. */
export const PROBE_TIMEOUTS = { connectMs: 5_000, firstByteMs: 20_000, idleMs: 10_000, totalMs: 25_000 };

const MAX_MESSAGE_CHARS = 500;
/** A shorter text in a message, such as a content type in a header, is not a secret. */
const MIN_SECRET_CHARS = 8;

/** Why a test of a provider failed, for operators. */
export interface ProbeFailure {
  /** Of the provider's reply; 0: there was none. */
  readonly status: number;
  readonly message: string;
}

export function probeFailureOf(error: unknown): ProbeFailure {
  const failure = error instanceof UpstreamError ? error.failure : undefined;
  if (failure?.kind === 'status') return { status: failure.status, message: failure.message ?? '' };
  const { message, code } = (failure?.cause ?? error) as NodeJS.ErrnoException;
  return {
    status: 0,
    message: error instanceof GatewayError ? (error.detail ?? message) : (code ?? message),
  };
}

/** Returns the first 500 characters of the message without the secrets: some providers quote the credential that they refuse. */
export const withoutSecrets = (message: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret.length >= MIN_SECRET_CHARS)
    .reduce((text, secret) => text.replaceAll(secret, '…'), message)
    .slice(0, MAX_MESSAGE_CHARS);
