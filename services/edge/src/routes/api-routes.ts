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
}

const FREE_CALL_KEY_AGE_MS = 1_000;

export const API_ROUTES: readonly ApiRoute[] = [
  { name: 'chat_completions', method: 'POST', path: '/v1/chat/completions', service: 'chat', body: 'json' },
  {
    name: 'models',
    method: 'GET',
    path: '/v1/models',
    service: 'chat',
    body: 'none',
    maxKeyAgeMs: FREE_CALL_KEY_AGE_MS,
  },
  {
    name: 'model',
    method: 'GET',
    path: '/v1/models/',
    prefix: true,
    service: 'chat',
    body: 'none',
    maxKeyAgeMs: FREE_CALL_KEY_AGE_MS,
  },
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
