import { ACCOUNT_CONTENT, allowsScope, type ScopedKey } from '@gateway/models';

/**
 * Returns the operation within which an idempotency key identifies a call: the account's, or the key's own if it doesn't see what other
 * keys of the account have made.
 */
export const operationOf = (key: ScopedKey & { readonly keyId: string }, operation: string): string =>
  allowsScope(key, ACCOUNT_CONTENT) ? operation : `${operation} of ${key.keyId}`;
