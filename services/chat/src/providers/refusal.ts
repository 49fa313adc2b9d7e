import type { GatewayError } from '@gateway/proto';
import { toGatewayError } from '../domain/upstream-failure';
import { readRefusal } from './read-reply';
import type { UpstreamResponse } from './upstream-http';

const MAX_MESSAGE_CHARS = 500;
const MAX_RETRY_AFTER_SECONDS = 86_400;

/** The public error for a provider's error status. */
export async function refusalOf(response: UpstreamResponse): Promise<GatewayError> {
  const message = messageOf(await readRefusal(response));
  const retryAfterSeconds = retryAfter(response.headers['retry-after']);
  return toGatewayError({
    kind: 'status',
    status: response.status,
    ...(message !== undefined && { message }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

function messageOf(body: unknown): string | undefined {
  const error = (body as { error?: { message?: unknown } } | undefined)?.error;
  return typeof error?.message === 'string' ? error.message.slice(0, MAX_MESSAGE_CHARS) : undefined;
}

/** Whole seconds; a date or nonsense is left out. */
function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d+(\.\d+)?$/.test(header)) return undefined;
  return Math.min(MAX_RETRY_AFTER_SECONDS, Math.ceil(Number(header)));
}
