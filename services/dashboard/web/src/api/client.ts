import { ApiError } from './api-error';
import { loginToken } from './login-token';

const BASE_PATH = '/api/v1';
/** Longer than the gateway lets any call of the dashboard take. */
const TIMEOUT_MS = 30_000;

export type QueryValue = string | number | boolean | null | undefined;
export type Query = Readonly<Record<string, QueryValue>>;

/** A page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

export interface SendOptions {
  readonly signal?: AbortSignal;
  /** Makes a repeated call the same one, where the API says so. */
  readonly idempotencyKey?: string;
  /** Until the answer's head. */
  readonly timeoutMs?: number;
}

/** Values of no length are left out. */
export function withQuery(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** `apiGet('keys')`; rejects with an ApiError. */
export async function apiGet<T>(path: string, query?: Query, options: SendOptions = {}): Promise<T> {
  return readJson(await send('GET', withQuery(path, query), undefined, options));
}

export async function apiPost<T>(path: string, body: unknown = {}, options: SendOptions = {}): Promise<T> {
  return readJson(await send('POST', path, body, options));
}

/** The answer to a GET as it comes, for files. */
export function apiGetRaw(path: string, options: SendOptions = {}): Promise<Response> {
  return send('GET', path, undefined, options);
}

/** The answer as it comes, for streams; rejects when it is none of success. */
export function apiPostRaw(path: string, body: unknown, options: SendOptions = {}): Promise<Response> {
  return send('POST', path, body, options);
}

async function send(method: string, path: string, body: unknown, options: SendOptions): Promise<Response> {
  const { current } = loginToken;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), options.timeoutMs ?? TIMEOUT_MS);
  const signals = [late.signal, ...(options.signal ? [options.signal] : [])];
  let response: Response;
  try {
    response = await fetch(`${BASE_PATH}/${path}`, {
      method,
      headers: {
        ...(current && { authorization: `Bearer ${current.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(options.idempotencyKey && { 'idempotency-key': options.idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
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
  const error = await ApiError.from(response);
  // The login is over, unless a newer one has taken its place since.
  if (error.code === 'invalid_api_key' && loginToken.current?.token === current?.token) loginToken.forget();
  throw error;
}

async function readJson<T>(response: Response): Promise<T> {
  try {
    return await response.json();
  } catch {
    throw ApiError.unreachable();
  }
}
