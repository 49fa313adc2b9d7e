import { ApiError, endsLogin } from './api-error';
import { exchange, readJson, type SendOptions } from './exchange';
import { loginToken } from './login-token';
import { renewLogin } from './renew-login';

export type { SendOptions } from './exchange';

export type QueryValue = string | number | boolean | null | undefined;
export type Query = Readonly<Record<string, QueryValue>>;

/** A page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
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

/** The answer as it comes, for streams; rejects when it is none of success. A FormData is sent as a form. */
export function apiPostRaw(path: string, body: unknown, options: SendOptions = {}): Promise<Response> {
  return send('POST', path, body, options);
}

/** With the login, renewed if it has to be. One that is over is asked for again, over the page as it stands. */
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
  // What is shown waits for the user and is then there, as if nothing had been. What was to be done is not done later,
  // when nobody expects it; with a token that another tab has got it is done now.
  const goesOn =
    method === 'GET' ? await loginToken.isBack(options.signal) : loginToken.state.status === 'in';
  if (goesOn) return send(method, path, body, options);
  throw ApiError.loginEnded();
}
