import { readSecretKeys } from '@gateway/upstream';

/** An account's keys: one names it, the other signs. */
export interface KlingKeys {
  readonly accessKey: string;
  readonly secretKey: string;
}

/**
 * Returns the keys in a secret, the JSON object `{access_key, secret_key}`.
 * @throws Error that does not contain the secret
 */
export function readKlingKeys(secret: string): KlingKeys {
  const keys = readSecretKeys(secret, ['access_key', 'secret_key']);
  if (!keys) throw unusable();
  return { accessKey: keys.access_key, secretKey: keys.secret_key };
}

const unusable = () => new Error('credential must be JSON {"access_key", "secret_key"}');
