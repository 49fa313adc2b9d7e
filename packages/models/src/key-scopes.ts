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

/** Empty: every scope. */
export interface ScopedKey {
  readonly scopes?: readonly string[] | undefined;
}

export const allowsScope = ({ scopes = [] }: ScopedKey, scope: string): boolean =>
  scopes.length === 0 || scopes.includes(scope);

/** Whether the key may make a call that needs the scope; undefined: one that every key may make. */
export const isInScope = (key: ScopedKey, scope: KeyScope | undefined): boolean =>
  scope === undefined || allowsScope(key, scope);

/** Like every resource that a key may not see. */
export const outOfScope = (scope: string): GatewayError =>
  new GatewayError('not_found', { detail: `the key's scopes do not include ${scope}` });
