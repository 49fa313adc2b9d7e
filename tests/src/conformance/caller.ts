import type { OutgoingHttpHeaders } from 'node:http';
import { type HttpAnswer, sendRequest } from '../support/http';
import type { System } from '../support/system';

export type Method = 'GET' | 'POST';

/** Calls both address spaces as their callers do. */
export interface Caller {
  /** `POST /v1/chat/completions` with a valid body but for these fields; `undefined` leaves a field out. */
  chat(apiKey: string, fields?: object): Promise<HttpAnswer>;
  /** The same path with a body that need not be JSON. */
  chatBytes(apiKey: string, body: string | Buffer): Promise<HttpAnswer>;
  /** Any path of the API's address space; a header that is `undefined` is not sent. */
  api(method: string, path: string, headers: OutgoingHttpHeaders, body?: unknown): Promise<HttpAnswer>;
  /** Any path of the dashboard's address space. */
  dashboard(method: string, path: string, headers: OutgoingHttpHeaders, body?: unknown): Promise<HttpAnswer>;
}

export const CHAT = '/v1/chat/completions';

export function bearer(credential: string): OutgoingHttpHeaders {
  return { authorization: `Bearer ${credential}` };
}

export function validBody(fields: object = {}): object {
  return { model: 'sim/chat', messages: [{ role: 'user', content: 'hi' }], ...fields };
}

export function createCaller({ stack }: Pick<System, 'stack'>): Caller {
  const send =
    (origin: string) => (method: string, path: string, headers: OutgoingHttpHeaders, body?: unknown) => {
      const all = Object.entries({ ...bodyHeaders(method, body), ...headers });
      const sent = Object.fromEntries(all.filter(([, value]) => value !== undefined));
      return sendRequest(`${origin}${path}`, method, sent, toBytes(body));
    };
  const api = send(stack.apiUrl);
  return {
    api,
    dashboard: send(stack.dashboardUrl),
    chat: (apiKey, fields) => api('POST', CHAT, bearer(apiKey), validBody(fields)),
    chatBytes: (apiKey, body) => api('POST', CHAT, bearer(apiKey), body),
  };
}

function bodyHeaders(method: string, body: unknown): OutgoingHttpHeaders {
  const bytes = toBytes(body);
  if (method === 'GET' || !bytes) return {};
  return { 'content-type': 'application/json', 'content-length': bytes.length };
}

/** Strings and bytes as they are, all else as JSON. */
function toBytes(body: unknown): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
