import type { UpstreamFailure } from '@gateway/upstream';
import type { RefusedResponse } from '../domain/chat-provider';
import { showableMessage } from './showable-message';

const MAX_RETRY_AFTER_SECONDS = 86_400;

/** What a provider's error status says, in the manner of most. */
export function readRefusal({ status, headers, body }: RefusedResponse): UpstreamFailure {
  const message = showableMessage(errorOf(body)?.message);
  const retryAfterSeconds = retryAfter(headers['retry-after']);
  return {
    kind: 'status',
    status: isAboutOurCredential(body) ? 401 : status,
    ...(message !== undefined && { message }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
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
function retryAfter(header: string | readonly string[] | undefined): number | undefined {
  if (typeof header !== 'string' || !/^\d+(\.\d+)?$/.test(header)) return undefined;
  return Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(1, Math.ceil(Number(header))));
}
