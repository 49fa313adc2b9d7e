import { GatewayError } from '@gateway/errors';

/** Scope of `GET /v1/key`'s figures of the account. */
export const BILLING = 'billing';
/** Scope of content that was stored with other keys of the account: responses, files, batches and video tasks. */
export const ACCOUNT_CONTENT = 'account_content';

/** Endpoints, each named for what it does, and two kinds of data of the account. */
export const KEY_SCOPES = [
  'chat',
  'embeddings',
  'moderations',
  'rerank',
  'images',
  'audio',
  'videos',
  'files',
  'batches',
  ACCOUNT_CONTENT,
  BILLING,
] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

/** Whole segments, in the order in which they are compared: a longer path precedes its beginning. */
const SCOPE_OF_PREFIX: readonly (readonly [string, KeyScope])[] = [
  ['/v1/chat', 'chat'],
  ['/v1/completions', 'chat'],
  ['/v1/responses', 'chat'],
  ['/v1/messages/batches', 'batches'],
  ['/v1/messages', 'chat'],
  ['/v1/embeddings', 'embeddings'],
  ['/v1/moderations', 'moderations'],
  ['/v1/rerank', 'rerank'],
  ['/v2/rerank', 'rerank'],
  ['/v1/images', 'images'],
  ['/v1/audio', 'audio'],
  ['/v1/videos', 'videos'],
  ['/v1/files', 'files'],
  ['/v1/batches', 'batches'],
];

/** Google's actions, after the name of any model; the colon may be encoded. */
const GOOGLE_ACTION =
  /(?::|%3[Aa])(?:generateContent|streamGenerateContent|countTokens|(embedContent|batchEmbedContents))$/;

/** Returns the scope that a call of the API needs; undefined: every key may make it, such as a list of models. */
export function scopeOfCall(method: string, path: string): KeyScope | undefined {
  const action = method === 'GET' ? null : GOOGLE_ACTION.exec(path);
  if (action) return action[1] ? 'embeddings' : 'chat';
  for (const [prefix, scope] of SCOPE_OF_PREFIX)
    if (path === prefix || path.startsWith(`${prefix}/`)) return scope;
  return method === 'GET' ? undefined : 'chat';
}

/** Empty: every scope. */
export interface ScopedKey {
  readonly scopes?: readonly string[] | undefined;
}

export const allowsScope = ({ scopes = [] }: ScopedKey, scope: string): boolean =>
  scopes.length === 0 || scopes.includes(scope);

/** Returns the scope that a call needs and the key lacks; undefined: the key may make the call. */
export function missingScope(key: ScopedKey, method: string, path: string): KeyScope | undefined {
  if (!key.scopes?.length) return undefined;
  const scope = scopeOfCall(method, path);
  return scope === undefined || allowsScope(key, scope) ? undefined : scope;
}

/** Like every resource that a key may not see. */
export const outOfScope = (scope: string): GatewayError =>
  new GatewayError('not_found', { detail: `the key's scopes do not include ${scope}` });
