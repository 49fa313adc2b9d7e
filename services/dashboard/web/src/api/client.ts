import { ApiError, endsLogin } from './api-error';
import { exchange, readJson, type SendOptions } from './exchange';
import { loginToken } from './login-token';
import { renewLogin } from './renew-login';

export type { SendOptions } from './exchange';

export type QueryValue = string | number | boolean | null | undefined;
export type Query = Readonly<Record<string, QueryValue>>;

export type { Page } from '../../../src/api/fields';

/** Omits empty values. */
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

/** Returns the unread response to a GET, for files. */
export function apiGetRaw(path: string, options: SendOptions = {}): Promise<Response> {
  return send('GET', path, undefined, options);
}

/**
 * Returns the unread response, for streams; rejects with an ApiError unless it is successful. Sends FormData as a form.
 */
export function apiPostRaw(path: string, body: unknown, options: SendOptions = {}): Promise<Response> {
  return send('POST', path, body, options);
}

/**
 * Sends with the login token, which is refreshed first if it has expired. If the login has ended, the login dialog
 * appears over the page.
 */
async function send(
  method: 'GET' | 'POST',
  path: string,
  body: unknown,
  options: SendOptions,
): Promise<Response> {
  let used: string | undefined;
  try {
    if (loginToken.isExpired) await renewLogin();
    used = loginToken.current?.token;
    if (loginToken.state.status !== 'ended') {
      return await exchange({ ...options, method, path, body, token: used });
    }
  } catch (error) {
    if (!endsLogin(error)) throw error;
    if (used !== undefined) loginToken.end(used);
  }
  // Reads wait for the user to log in again, and then the page continues as if nothing had happened. Changes are not
  // sent later, when the user no longer expects them; only if another tab has already logged in again.
  const mayContinue =
    method === 'GET' ? await loginToken.waitForLogin(options.signal) : loginToken.state.status === 'in';
  if (mayContinue) return send(method, path, body, options);
  throw ApiError.loginEnded();
}
