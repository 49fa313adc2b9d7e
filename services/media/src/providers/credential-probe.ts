import { isObject, membersOf, textOf, UpstreamError } from '@gateway/upstream';
import type { Upstream } from '../domain/upstream';
import type { ProviderCall } from '../images/rules/image-provider';
import { isSuccess, sendJson } from './send-json';

/** A request that is free, and that only a valid credential gets past. */
export interface ProbeRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a body reports a problem of our account, whatever its status is. */
  isAccountProblem?(body: unknown): boolean;
}

const MAX_REPLY_BYTES = 64 * 1024;
/** How providers refuse a task that they do not know, once they have accepted the credential. */
const UNKNOWN_TASK_STATUSES = new Set([400, 404, 422]);
/** What a provider means that reports a problem of our account with a success status. */
const REJECTED = 401;

/**
 * Resolves if the provider accepts the credential. A refusal that is not JSON is not the provider's own, such as the page of a proxy.
 * @throws UpstreamError with the provider's message, which is for operators and may quote the credential
 */
export async function probeCredential(
  upstream: Upstream,
  { url, headers, isAccountProblem }: ProbeRequest,
  call: ProviderCall,
): Promise<void> {
  const request = { method: 'GET', url, headers, maxReplyBytes: MAX_REPLY_BYTES } as const;
  const { status, value } = await sendJson(upstream, request, call);
  const isRefused = isAccountProblem?.(value) ?? false;
  if (!isRefused && (isSuccess(status) || (UNKNOWN_TASK_STATUSES.has(status) && isObject(value)))) return;
  const shown = isSuccess(status) ? REJECTED : status;
  throw new UpstreamError({ kind: 'status', status: shown, message: messageIn(value) });
}

/** Returns the message of an error in the formats of the providers. */
function messageIn(value: unknown): string {
  const { detail, error, message, base_resp: response } = membersOf(value);
  const texts = [detail, membersOf(error).message, message, membersOf(response).status_msg].map(textOf);
  return texts.find((text) => text !== '') ?? 'no message';
}
