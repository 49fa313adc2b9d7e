import { ApiError } from './api-error';

const BASE_PATH = '/api/v1';
/** Longer than any call of the dashboard may take on the server. */
const TIMEOUT_MS = 30_000;

export interface SendOptions {
  readonly signal?: AbortSignal;
  /** Repeats with the same key are the same call, where the API supports it. */
  readonly idempotencyKey?: string;
  /** Limits the time to the response headers. */
  readonly timeoutMs?: number;
}

export interface Exchange extends SendOptions {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly token?: string | undefined;
}

/** Sends one call and returns its response; rejects with an ApiError unless it is successful. */
export async function exchange({ method, path, body, token, ...options }: Exchange): Promise<Response> {
  // The browser sets a form's content type, which contains its boundary.
  const isJson = body !== undefined && !(body instanceof FormData);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), options.timeoutMs ?? TIMEOUT_MS);
  const signals = [late.signal, ...(options.signal ? [options.signal] : [])];
  let response: Response;
  try {
    response = await fetch(`${BASE_PATH}/${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(isJson && { 'content-type': 'application/json' }),
        ...(options.idempotencyKey && { 'idempotency-key': options.idempotencyKey }),
      },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as FormData) }),
      signal: AbortSignal.any(signals),
      credentials: 'omit',
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw ApiError.unreachable();
  } finally {
    clearTimeout(timer);
  }
  if (response.ok) return response;
  throw await ApiError.from(response);
}

export async function readJson<T>(response: Response): Promise<T> {
  try {
    return await response.json();
  } catch {
    throw ApiError.unreachable();
  }
}
