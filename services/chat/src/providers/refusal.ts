import type { GatewayError } from '@gateway/proto';
import { toGatewayError } from '../domain/upstream-failure';
import { readRefusal } from './read-reply';
import type { UpstreamResponse } from './upstream-http';

const MAX_MESSAGE_CHARS = 500;
const MAX_RETRY_AFTER_SECONDS = 86_400;
const CREDENTIAL = /bearer|authorization|api[\s_-]?key|secret|\bsk-/i;

/** The public error for a provider's error status. */
export async function refusalOf(response: UpstreamResponse): Promise<GatewayError> {
  const body = await readRefusal(response);
  const message = messageOf(body);
  const retryAfterSeconds = retryAfter(response.headers['retry-after']);
  return toGatewayError({
    kind: 'status',
    status: isAboutOurCredential(body) ? 401 : response.status,
    ...(message !== undefined && { message }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** Undefined too for one that speaks of credentials: they are ours, not the caller's. */
function messageOf(body: unknown): string | undefined {
  const message = errorOf(body)?.message;
  if (typeof message !== 'string' || CREDENTIAL.test(message)) return undefined;
  return message.slice(0, MAX_MESSAGE_CHARS);
}

/** Some providers answer a bad credential of ours with 400. */
function isAboutOurCredential(body: unknown): boolean {
  const { code, type } = errorOf(body) ?? {};
  return code === 'invalid_api_key' || type === 'authentication_error';
}

function errorOf(body: unknown): Record<string, unknown> | undefined {
  const error = (body as { error?: unknown } | undefined)?.error;
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : undefined;
}

/** Whole seconds; a date or nonsense is left out. */
function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d+(\.\d+)?$/.test(header)) return undefined;
  return Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(1, Math.ceil(Number(header))));
}
