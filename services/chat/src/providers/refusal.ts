import {
  type JsonObject,
  membersOf,
  retryAfterOf,
  showableMessage,
  type UpstreamFailure,
} from '@gateway/upstream';
import type { ChatProvider, RefusedResponse } from '../domain/chat-provider';
import { isCallersCode, statusOfErrorEvent } from './error-event-status';

/** Returns what an error status of this provider means. */
export function failureBy(
  { refusalOf }: Pick<ChatProvider, 'refusalOf'>,
  refused: RefusedResponse,
): UpstreamFailure {
  return refusalOf?.(refused) ?? readRefusal(refused);
}

/**
 * Returns what an error means that came with a success status, in a body or an event of a stream; undefined if there is no error.
 * Its status is the one that the provider would have answered with.
 */
export function failureInBody(
  provider: Pick<ChatProvider, 'refusalOf'>,
  body: JsonObject,
  headers: RefusedResponse['headers'] = {},
): UpstreamFailure | undefined {
  const { error, type, object } = body;
  const status = statusOfErrorEvent(body);
  if (!error && type !== 'error' && object !== 'error' && status === undefined) return undefined;
  // OpenAI's responses and vLLM have the members of the error beside its type.
  const whole = error ? body : { ...body, error: body };
  return failureBy(provider, { status: status ?? 500, headers, body: whole });
}

/** Reads an error response in the form that most providers use. */
function readRefusal({ status, headers, body }: RefusedResponse): UpstreamFailure {
  const { message: said, code } = errorOf(body) ?? {};
  const message = showableMessage(said);
  const meant = statusOf(status, body, code);
  const seconds = retryAfterOf({ status: meant, headers, message: said ?? messageBeside(body) });
  return {
    kind: 'status',
    status: meant,
    ...(message !== undefined && { message }),
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  };
}

/** The message of an error without an object for it: xAI's is `error` itself, Mistral's and Cohere's `message`. */
function messageBeside(body: unknown): unknown {
  const { error, message } = membersOf(body);
  return message ?? error;
}

function statusOf(status: number, body: unknown, code: unknown): number {
  if (isAboutOurCredential(body)) return 401;
  return status >= 500 && isCallersCode(code) ? 400 : status;
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
