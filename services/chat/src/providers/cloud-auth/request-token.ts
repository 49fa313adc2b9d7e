import { membersOf, retryAfterSeconds, textOf, UpstreamError, type UpstreamFailure } from '@gateway/upstream';
import type { AccessToken } from './access-token-cache';

/** For the whole reply. */
export const TOKEN_TIMEOUT_MS = 5_000;
const MAX_REPLY_BYTES = 64 * 1024;
/** A token for a day or longer would be unusual; the bound keeps arithmetic with it exact. */
const MAX_LIFETIME_SECONDS = 7 * 86_400;
const MAX_MESSAGE_CHARS = 500;
/** What fits into a header. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;
/** Statuses with which endpoints reject a credential or what it asks for (RFC 6749, section 5.2). */
const REJECTIONS = new Set([400, 401, 403]);

interface TokenReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/**
 * Requests a token by a grant of OAuth 2. Uses `fetch`, because a token is requested about once an hour: the service's own client
 * exists for the streams of calls. Follows no redirect, which would forward a secret.
 * @throws UpstreamError status 401 if the credential was rejected, else 429 or `unreachable`
 */
export async function requestToken(
  url: string | URL,
  form: URLSearchParams,
): Promise<Readonly<Record<string, unknown>>> {
  let reply: TokenReply;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: form,
      redirect: 'error',
      signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS),
    });
    reply = { status: response.status, headers: response.headers, body: await readJson(response) };
  } catch (error) {
    // The error of `fetch` says nothing; its cause does.
    throw new UpstreamError({ kind: 'unreachable', cause: (error as Error).cause ?? error });
  }
  if (reply.status !== 200) throw new UpstreamError(tokenFailure(reply));
  return membersOf(reply.body);
}

/** @throws UpstreamError if it is not a token that can be sent */
export function toAccessToken(token: unknown, lifetimeSeconds: number): AccessToken {
  if (typeof token === 'string' && TOKEN.test(token) && lifetimeSeconds > 0) {
    return { value: token, lifetimeMs: Math.min(lifetimeSeconds, MAX_LIFETIME_SECONDS) * 1_000 };
  }
  throw new UpstreamError({ kind: 'unreachable', cause: new Error('token endpoint sent no token') });
}

/** Returns what a refusal by a token endpoint means for the call. Its message is for operators. */
function tokenFailure({ status, headers, body }: TokenReply): UpstreamFailure {
  if (REJECTIONS.has(status)) {
    const { error, error_description: description } = membersOf(body);
    const reason = [textOf(error), textOf(description)].filter(Boolean).join(': ') || `status ${status}`;
    return { kind: 'status', status: 401, message: `token endpoint: ${reason}`.slice(0, MAX_MESSAGE_CHARS) };
  }
  if (status === 429) {
    const seconds = retryAfterSeconds(headers.get('retry-after'));
    return { kind: 'status', status, ...(seconds !== undefined && { retryAfterSeconds: seconds }) };
  }
  return { kind: 'unreachable', cause: new Error(`token endpoint answered ${status}`) };
}

/** Returns undefined for a body that is not JSON. @throws Error if it is too large */
async function readJson(response: Response): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > MAX_REPLY_BYTES) throw new Error('reply of the token endpoint is too large');
    pieces.push(piece);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    return undefined;
  }
}
