import { retryAfterIn, showableMessage, type UpstreamFailure } from '@gateway/upstream';
import type { ChatProvider, RefusedResponse } from '../domain/chat-provider';

/** Returns what an error status of this provider means. */
export function failureBy(
  { refusalOf }: Pick<ChatProvider, 'refusalOf'>,
  refused: RefusedResponse,
): UpstreamFailure {
  return refusalOf?.(refused) ?? readRefusal(refused);
}

/** Reads an error response in the form that most providers use. */
function readRefusal({ status, headers, body }: RefusedResponse): UpstreamFailure {
  const message = showableMessage(errorOf(body)?.message);
  const seconds = retryAfterIn(headers);
  return {
    kind: 'status',
    status: isAboutOurCredential(body) ? 401 : status,
    ...(message !== undefined && { message }),
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  };
}

/** Types of errors about an invalid credential of ours. `no_db_connection`: LiteLLM without a database, to any key but its own. */
const CREDENTIAL_TYPES: readonly unknown[] = ['authentication_error', 'no_db_connection'];

/** Some providers answer 400 for an invalid credential of ours. */
function isAboutOurCredential(body: unknown): boolean {
  const { code, type } = errorOf(body) ?? {};
  return code === 'invalid_api_key' || CREDENTIAL_TYPES.includes(type);
}

/** Google wraps some errors in an array. */
function errorOf(body: unknown): Record<string, unknown> | undefined {
  const holder = Array.isArray(body) ? body[0] : body;
  const error = (holder as { error?: unknown } | null | undefined)?.error;
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : undefined;
}
