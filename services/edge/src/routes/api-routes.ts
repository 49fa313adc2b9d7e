import type { StreamErrors } from '@gateway/errors';

/** Services that answer API calls over a link. */
export type ApiService = 'chat' | 'media';

export interface ApiRoute {
  /** Name for metrics and logs. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** The exact path, or the beginning of those whose rest matches `tail`. */
  readonly path: string;
  readonly tail?: RegExp;
  readonly service: ApiService;
  /** `form`: multipart/form-data as well as JSON. */
  readonly body: 'none' | 'json' | 'form';
  /** Other queries go no further: a credential may be among them. */
  readonly takesQuery?: true;
  /** Whoever has the link may follow it: it is signed. */
  readonly keyless?: true;
  /** Its answers may hold links to this gateway, by the name that the caller has for it. */
  readonly makesLinks?: true;
  /**
   * Nothing after the edge checks the key again (the call reserves no money), so a remembered answer about
   * it may be this old at most.
   */
  readonly maxKeyAgeMs?: number;
  /** How its streams tell an error. */
  readonly streamErrors: StreamErrors;
  /** Users of the dashboard may call it with a login token and one of their account's keys. */
  readonly inPlayground?: true;
}

const FREE_CALL_KEY_AGE_MS = 1_000;
const VIDEOS = '/v1/videos/';

const FREE = { body: 'none', maxKeyAgeMs: FREE_CALL_KEY_AGE_MS } as const;
/** A non-empty segment of unreserved, sub-delimiting or well-encoded characters. */
const SEGMENT = "(?:[\\w.~!$&'()*+,;=:@-]|%[\\dA-Fa-f]{2})+";
const SEGMENTS = new RegExp(`^${SEGMENT}(?:/${SEGMENT})*$`);
const ofProvider = (action: string) => new RegExp(`^${SEGMENT}/${action}$`);

const OPENAI = { service: 'chat', streamErrors: 'data' } as const;
const ANTHROPIC = { service: 'chat', streamErrors: 'event' } as const;
const MEDIA = { service: 'media', streamErrors: 'data' } as const;

export const API_ROUTES: readonly ApiRoute[] = [
  {
    name: 'chat_completions',
    method: 'POST',
    path: '/v1/chat/completions',
    body: 'json',
    ...OPENAI,
    inPlayground: true,
  },
  { name: 'messages', method: 'POST', path: '/v1/messages', body: 'json', ...ANTHROPIC },
  {
    name: 'count_tokens',
    method: 'POST',
    path: '/v1/messages/count_tokens',
    ...ANTHROPIC,
    ...FREE,
    body: 'json',
  },
  { name: 'models', method: 'GET', path: '/v1/models', takesQuery: true, ...OPENAI, ...FREE },
  { name: 'model', method: 'GET', path: '/v1/models/', tail: SEGMENTS, ...OPENAI, ...FREE },
  { name: 'images', method: 'POST', path: '/v1/images', ...MEDIA, body: 'form', inPlayground: true },
  { name: 'images_generations', method: 'POST', path: '/v1/images/generations', ...MEDIA, body: 'json' },
  {
    name: 'images_edits',
    method: 'POST',
    path: '/v1/images/edits',
    ...MEDIA,
    body: 'form',
    inPlayground: true,
  },
  { name: 'videos', method: 'GET', path: '/v1/videos', takesQuery: true, ...MEDIA, ...FREE },
  {
    name: 'video_create',
    method: 'POST',
    path: VIDEOS,
    tail: ofProvider('create'),
    ...MEDIA,
    body: 'form',
    inPlayground: true,
  },
  {
    name: 'video_status',
    method: 'POST',
    path: VIDEOS,
    tail: ofProvider('status'),
    ...MEDIA,
    ...FREE,
    body: 'json',
    inPlayground: true,
  },
  {
    name: 'video_result',
    method: 'POST',
    path: VIDEOS,
    tail: ofProvider('result'),
    ...MEDIA,
    ...FREE,
    body: 'json',
    makesLinks: true,
    inPlayground: true,
  },
  {
    name: 'video_file',
    method: 'GET',
    path: '/v1/videos/files/',
    tail: new RegExp(`^${SEGMENT}$`),
    ...MEDIA,
    body: 'none',
    keyless: true,
    inPlayground: true,
  },
];

const exact = new Map(
  API_ROUTES.filter(({ tail }) => !tail).map((route) => [`${route.method} ${route.path}`, route]),
);
const tailed = API_ROUTES.filter(({ tail }) => tail);

/** Paths are compared as they came: nothing is decoded, folded or tidied up. */
export function findApiRoute(method: string, path: string): ApiRoute | undefined {
  const found = exact.get(`${method} ${path}`);
  if (found) return found;
  return tailed.find(
    (route) =>
      route.method === method &&
      path.startsWith(route.path) &&
      route.tail?.test(path.slice(route.path.length)),
  );
}
