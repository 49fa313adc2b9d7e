import type { StreamErrors } from '@gateway/proto';

/** Services that answer API calls over a link. */
export type ApiService = 'chat';

export interface ApiRoute {
  /** Name for metrics and logs. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** The exact path, or with `prefix` all that stands below it. */
  readonly path: string;
  readonly prefix?: true;
  readonly service: ApiService;
  readonly body: 'none' | 'json';
  /**
   * Nothing after the edge checks the key again (the call reserves no money), so a remembered answer about
   * it may be this old at most.
   */
  readonly maxKeyAgeMs?: number;
  /** How its streams tell an error. */
  readonly streamErrors: StreamErrors;
}

const FREE_CALL_KEY_AGE_MS = 1_000;

const FREE = { body: 'none', maxKeyAgeMs: FREE_CALL_KEY_AGE_MS } as const;
const OPENAI = { service: 'chat', streamErrors: 'data' } as const;
const ANTHROPIC = { service: 'chat', streamErrors: 'event' } as const;

export const API_ROUTES: readonly ApiRoute[] = [
  { name: 'chat_completions', method: 'POST', path: '/v1/chat/completions', body: 'json', ...OPENAI },
  { name: 'messages', method: 'POST', path: '/v1/messages', body: 'json', ...ANTHROPIC },
  {
    name: 'count_tokens',
    method: 'POST',
    path: '/v1/messages/count_tokens',
    ...ANTHROPIC,
    ...FREE,
    body: 'json',
  },
  { name: 'models', method: 'GET', path: '/v1/models', ...OPENAI, ...FREE },
  { name: 'model', method: 'GET', path: '/v1/models/', prefix: true, ...OPENAI, ...FREE },
];

const exact = new Map(
  API_ROUTES.filter(({ prefix }) => !prefix).map((route) => [`${route.method} ${route.path}`, route]),
);
const prefixed = API_ROUTES.filter(({ prefix }) => prefix);
/** Non-empty segments of unreserved, sub-delimiting or well-encoded characters. */
const TAIL = /^(?:[\w.~!$&'()*+,;=:@-]|%[\dA-Fa-f]{2})+(?:\/(?:[\w.~!$&'()*+,;=:@-]|%[\dA-Fa-f]{2})+)*$/;

/** Paths are compared as they came: nothing is decoded, folded or tidied up. */
export function findApiRoute(method: string, path: string): ApiRoute | undefined {
  const found = exact.get(`${method} ${path}`);
  if (found) return found;
  return prefixed.find(
    (route) =>
      route.method === method && path.startsWith(route.path) && TAIL.test(path.slice(route.path.length)),
  );
}
