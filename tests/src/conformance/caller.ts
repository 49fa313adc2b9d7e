import type { OutgoingHttpHeaders } from 'node:http';
import { type HttpAnswer, sendRequest } from '../support/http';
import type { System } from '../support/system';

export type Method = 'GET' | 'POST';

/** An endpoint of chat's that generates something. */
export interface ChatEndpoint {
  readonly path: string;
  /** Returns a valid body with these fields; `undefined` omits a field. */
  body(fields?: object): object;
}

const CONVERSATION = { model: 'sim/chat', messages: [{ role: 'user', content: 'hi' }] };

export const COMPLETIONS: ChatEndpoint = {
  path: '/v1/chat/completions',
  body: (fields) => ({ ...CONVERSATION, ...fields }),
};
export const MESSAGES: ChatEndpoint = {
  path: '/v1/messages',
  body: (fields) => ({ ...CONVERSATION, max_tokens: 1_000, ...fields }),
};
export const RESPONSES: ChatEndpoint = {
  path: '/v1/responses',
  body: (fields) => {
    const { messages, max_tokens, ...rest }: Record<string, unknown> = { ...CONVERSATION, ...fields };
    return { input: messages, max_output_tokens: max_tokens, ...rest };
  },
};
export const COMPACTION: ChatEndpoint = {
  path: '/v1/responses/compact',
  body: (fields) => RESPONSES.body(fields),
};
export const INPUT_TOKENS: ChatEndpoint = {
  path: '/v1/responses/input_tokens',
  body: (fields) => RESPONSES.body(fields),
};
export const COUNT_TOKENS: ChatEndpoint = {
  path: '/v1/messages/count_tokens',
  body: (fields) => ({ ...CONVERSATION, ...fields }),
};
export const TEXT_COMPLETIONS: ChatEndpoint = {
  path: '/v1/completions',
  body: (fields) => ({ model: 'sim/chat', prompt: 'hi', ...fields }),
};
export const EMBEDDINGS: ChatEndpoint = {
  path: '/v1/embeddings',
  body: (fields) => ({ model: 'sim/embedding', input: 'A cat in a hat.', ...fields }),
};
export const MODERATIONS: ChatEndpoint = {
  path: '/v1/moderations',
  body: (fields) => ({ model: 'sim/moderation', input: 'A cat in a hat.', ...fields }),
};
export const RERANK: ChatEndpoint = {
  path: '/v1/rerank',
  body: (fields) => ({ model: 'sim/rerank', query: 'A cat?', documents: ['A cat in a hat.'], ...fields }),
};
/** Endpoints whose reply is no text and is read whole. */
export const WHOLE_REPLIES: readonly ChatEndpoint[] = [EMBEDDINGS, MODERATIONS, RERANK];
/** Endpoints that generate a reply, one per format. */
export const CHAT_FORMATS: readonly ChatEndpoint[] = [COMPLETIONS, MESSAGES, RESPONSES];
export const CHAT_ENDPOINTS: readonly ChatEndpoint[] = [...CHAT_FORMATS, COUNT_TOKENS];

/** Calls both address spaces as their clients do. */
export interface Caller {
  /** Sends a valid body with these fields, to completions by default; `undefined` omits a field. */
  chat(apiKey: string, fields?: object, endpoint?: ChatEndpoint): Promise<HttpAnswer>;
  /** Sends a body that may be invalid JSON. */
  chatBytes(apiKey: string, body: string | Buffer, endpoint?: ChatEndpoint): Promise<HttpAnswer>;
  /** Any path of the API's address space; a header that is `undefined` is not sent. */
  api(method: string, path: string, headers: OutgoingHttpHeaders, body?: unknown): Promise<HttpAnswer>;
  /** Any path of the dashboard's address space. */
  dashboard(method: string, path: string, headers: OutgoingHttpHeaders, body?: unknown): Promise<HttpAnswer>;
}

export function bearer(credential: string): OutgoingHttpHeaders {
  return { authorization: `Bearer ${credential}` };
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
    chat: (apiKey, fields, { path, body } = COMPLETIONS) => api('POST', path, bearer(apiKey), body(fields)),
    chatBytes: (apiKey, body, { path } = COMPLETIONS) => api('POST', path, bearer(apiKey), body),
  };
}

function bodyHeaders(method: string, body: unknown): OutgoingHttpHeaders {
  const bytes = toBytes(body);
  if (method === 'GET' || !bytes) return {};
  return { 'content-type': 'application/json', 'content-length': bytes.length };
}

/** Sends strings and bytes unchanged, and other values as JSON. */
function toBytes(body: unknown): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
