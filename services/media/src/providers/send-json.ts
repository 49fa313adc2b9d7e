import { UpstreamError } from '@gateway/upstream';
import type { Upstream } from '../domain/upstream';
import type { UpstreamBody } from '../domain/upstream-body';
import type { ProviderCall } from '../images/rules/image-provider';

export interface JsonRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** With the content type of the body, if there is one. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: UpstreamBody;
  readonly maxReplyBytes: number;
}

export interface JsonReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined only for a refusal without JSON. */
  readonly value: unknown;
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** @throws UpstreamError as Upstream does, and `broken` for a success without JSON; the caller judges refusals */
export async function sendJson(
  upstream: Upstream,
  request: JsonRequest,
  { requestId, signal, timeouts }: ProviderCall,
): Promise<JsonReply> {
  const headers = { accept: 'application/json', ...request.headers, 'x-request-id': requestId };
  const reply = await upstream.request({ ...request, headers, signal, timeouts });
  const { status } = reply;
  if (isSuccess(status)) return { status, headers: reply.headers, value: await reply.json() };
  const value = await reply.json().catch((error: unknown) => {
    if (error instanceof UpstreamError) return undefined;
    throw error;
  });
  return { status, headers: reply.headers, value };
}
