import type { StreamErrors } from '@gateway/errors';

/** Services that answer API calls over a link. */
export type ApiService = 'chat' | 'media' | 'storage';

export interface ApiRoute {
  /** Name for metrics and logs. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** The exact path, or the prefix of paths whose rest matches `tail`. */
  readonly path: string;
  readonly tail?: RegExp;
  readonly service: ApiService;
  /** `form`: multipart/form-data as well as JSON. */
  readonly body: 'none' | 'json' | 'form';
  /** A body that is no form is refused before it is read. */
  readonly takesOnlyForms?: true;
  /** The query is forwarded. Other queries are dropped, because they may contain credentials. */
  readonly forwardsQuery?: true;
  /** Google's clients call it, which send the key in `x-goog-api-key` or as the parameter `key`. */
  readonly acceptsGoogleKey?: true;
  /** Anyone with the link may use it: it is signed. */
  readonly keyless?: true;
  /** Responses may contain links to this gateway. */
  readonly returnsLinks?: true;
  /** Maximum age of the cached key, for calls that reserve no money: no later step checks the key. */
  readonly maxKeyAgeMs?: number;
  /** Format of errors within its streams. */
  readonly streamErrors: StreamErrors;
  /** Users of the dashboard may call it with a login token and one of their account's keys. */
  readonly inPlayground?: true;
}

const FREE_CALL_KEY_AGE_MS = 1_000;
const VIDEOS = '/v1/videos/';
const RESPONSE = '/v1/responses/';
const FILE = '/v1/files/';
const BATCH = '/v1/batches/';
const MESSAGE_BATCHES = '/v1/messages/batches';
const MESSAGE_BATCH = `${MESSAGE_BATCHES}/`;

const FREE = { body: 'none', maxKeyAgeMs: FREE_CALL_KEY_AGE_MS } as const;
/** A non-empty segment of unreserved, sub-delimiting or well-encoded characters. */
const SEGMENT = "(?:[\\w.~!$&'()*+,;=:@-]|%[\\dA-Fa-f]{2})+";
const ONE_SEGMENT = new RegExp(`^${SEGMENT}$`);
const withAction = (action: string) => new RegExp(`^${SEGMENT}/${action}$`);

/** The colon may be encoded. */
const COLON = '(?::|%3[Aa])';
/** The rest of a path in Google's format. `@ai-sdk/google` adds `models/` only to names without a slash. */
const ofModel = (actions: string) =>
  new RegExp(`^(?:models/${SEGMENT}(?:/${SEGMENT})*|${SEGMENT}/${SEGMENT})${COLON}(?:${actions})$`);
/** The name of a model, which may have a colon, but not an action of Google's: those have a capital, and can't be read. */
const MODEL = new RegExp(`^(?!.*${COLON}[a-z]+[A-Z][A-Za-z]*$)${SEGMENT}(?:/${SEGMENT})*$`);

const OPENAI = { service: 'chat', streamErrors: 'data' } as const;
const RESPONSES = { service: 'chat', streamErrors: 'response' } as const;
const GOOGLE = { service: 'chat', streamErrors: 'google' } as const;
const ANTHROPIC = { service: 'chat', streamErrors: 'event' } as const;
const STORAGE = { service: 'storage', streamErrors: 'response' } as const;
/** Its replies contain the link to the results. */
const MESSAGE_BATCH_ROUTE = { ...STORAGE, ...FREE, streamErrors: 'event', returnsLinks: true } as const;
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
  { name: 'completions', method: 'POST', path: '/v1/completions', body: 'json', ...OPENAI },
  { name: 'responses', method: 'POST', path: '/v1/responses', body: 'json', ...RESPONSES },
  { name: 'response_compaction', method: 'POST', path: '/v1/responses/compact', body: 'json', ...RESPONSES },
  {
    name: 'response_input_tokens',
    method: 'POST',
    path: '/v1/responses/input_tokens',
    ...RESPONSES,
    ...FREE,
    body: 'json',
  },
  {
    name: 'response',
    method: 'GET',
    path: RESPONSE,
    tail: ONE_SEGMENT,
    ...STORAGE,
    ...FREE,
    forwardsQuery: true,
  },
  {
    name: 'response_input_items',
    method: 'GET',
    path: RESPONSE,
    tail: withAction('input_items'),
    ...STORAGE,
    ...FREE,
    forwardsQuery: true,
  },
  {
    name: 'response_cancel',
    method: 'POST',
    path: RESPONSE,
    tail: withAction('cancel'),
    ...STORAGE,
    ...FREE,
  },
  {
    name: 'response_delete',
    method: 'POST',
    path: RESPONSE,
    tail: withAction('delete'),
    ...STORAGE,
    ...FREE,
  },
  { name: 'files', method: 'GET', path: '/v1/files', ...STORAGE, ...FREE, forwardsQuery: true },
  {
    name: 'file_create',
    method: 'POST',
    path: '/v1/files',
    ...STORAGE,
    ...FREE,
    body: 'form',
    takesOnlyForms: true,
  },
  { name: 'file', method: 'GET', path: FILE, tail: ONE_SEGMENT, ...STORAGE, ...FREE },
  { name: 'file_content', method: 'GET', path: FILE, tail: withAction('content'), ...STORAGE, ...FREE },
  { name: 'file_delete', method: 'POST', path: FILE, tail: withAction('delete'), ...STORAGE, ...FREE },
  { name: 'batches', method: 'GET', path: '/v1/batches', ...STORAGE, ...FREE, forwardsQuery: true },
  { name: 'batch_create', method: 'POST', path: '/v1/batches', ...STORAGE, ...FREE, body: 'json' },
  { name: 'batch', method: 'GET', path: BATCH, tail: ONE_SEGMENT, ...STORAGE, ...FREE },
  { name: 'batch_cancel', method: 'POST', path: BATCH, tail: withAction('cancel'), ...STORAGE, ...FREE },
  {
    name: 'message_batches',
    method: 'GET',
    path: MESSAGE_BATCHES,
    ...MESSAGE_BATCH_ROUTE,
    forwardsQuery: true,
  },
  {
    name: 'message_batch_create',
    method: 'POST',
    path: MESSAGE_BATCHES,
    ...MESSAGE_BATCH_ROUTE,
    body: 'json',
  },
  { name: 'message_batch', method: 'GET', path: MESSAGE_BATCH, tail: ONE_SEGMENT, ...MESSAGE_BATCH_ROUTE },
  {
    name: 'message_batch_results',
    method: 'GET',
    path: MESSAGE_BATCH,
    tail: withAction('results'),
    ...MESSAGE_BATCH_ROUTE,
  },
  {
    name: 'message_batch_cancel',
    method: 'POST',
    path: MESSAGE_BATCH,
    tail: withAction('cancel'),
    ...MESSAGE_BATCH_ROUTE,
  },
  {
    name: 'message_batch_delete',
    method: 'POST',
    path: MESSAGE_BATCH,
    tail: withAction('delete'),
    ...MESSAGE_BATCH_ROUTE,
  },
  { name: 'messages', method: 'POST', path: '/v1/messages', body: 'json', ...ANTHROPIC },
  { name: 'embeddings', method: 'POST', path: '/v1/embeddings', body: 'json', ...OPENAI },
  { name: 'moderations', method: 'POST', path: '/v1/moderations', body: 'json', ...OPENAI },
  { name: 'rerank', method: 'POST', path: '/v1/rerank', body: 'json', ...OPENAI },
  // Cohere's clients add the version to their base URL.
  { name: 'rerank', method: 'POST', path: '/v2/rerank', body: 'json', ...OPENAI },
  {
    name: 'count_tokens',
    method: 'POST',
    path: '/v1/messages/count_tokens',
    ...ANTHROPIC,
    ...FREE,
    body: 'json',
  },
  ...['/v1beta/', '/v1/'].flatMap((path): ApiRoute[] => [
    {
      name: 'generate_content',
      method: 'POST',
      path,
      tail: ofModel('generateContent|streamGenerateContent'),
      ...GOOGLE,
      body: 'json',
      forwardsQuery: true,
      acceptsGoogleKey: true,
    },
    {
      name: 'embed_content',
      method: 'POST',
      path,
      tail: ofModel('embedContent|batchEmbedContents'),
      ...GOOGLE,
      body: 'json',
      acceptsGoogleKey: true,
    },
    {
      name: 'count_content_tokens',
      method: 'POST',
      path,
      tail: ofModel('countTokens'),
      ...GOOGLE,
      ...FREE,
      body: 'json',
      acceptsGoogleKey: true,
    },
  ]),
  { name: 'key', method: 'GET', path: '/v1/key', ...OPENAI, ...FREE },
  ...(['/v1/models', '/v1beta/models'] as const).flatMap((path): ApiRoute[] => [
    { name: 'models', method: 'GET', path, ...OPENAI, ...FREE, forwardsQuery: true, acceptsGoogleKey: true },
    {
      name: 'model',
      method: 'GET',
      path: `${path}/`,
      tail: MODEL,
      ...OPENAI,
      ...FREE,
      acceptsGoogleKey: true,
    },
  ]),
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
  { name: 'speech', method: 'POST', path: '/v1/audio/speech', ...MEDIA, body: 'json' },
  { name: 'transcriptions', method: 'POST', path: '/v1/audio/transcriptions', ...MEDIA, body: 'form' },
  { name: 'translations', method: 'POST', path: '/v1/audio/translations', ...MEDIA, body: 'form' },
  { name: 'videos', method: 'GET', path: '/v1/videos', forwardsQuery: true, ...MEDIA, ...FREE },
  {
    name: 'video_create',
    method: 'POST',
    path: VIDEOS,
    tail: withAction('create'),
    ...MEDIA,
    body: 'form',
    inPlayground: true,
  },
  {
    name: 'video_status',
    method: 'POST',
    path: VIDEOS,
    tail: withAction('status'),
    ...MEDIA,
    ...FREE,
    body: 'json',
    inPlayground: true,
  },
  {
    name: 'video_result',
    method: 'POST',
    path: VIDEOS,
    tail: withAction('result'),
    ...MEDIA,
    ...FREE,
    body: 'json',
    returnsLinks: true,
    inPlayground: true,
  },
  {
    name: 'video_file',
    method: 'GET',
    path: '/v1/videos/files/',
    tail: ONE_SEGMENT,
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

/** Compares paths as received: nothing is decoded or normalized. */
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
