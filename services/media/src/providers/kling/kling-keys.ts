import { isObject } from '@gateway/upstream';

/** An account's keys: one names it, the other signs. */
export interface KlingKeys {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** What a key may consist of, without spaces. */
const PRINTABLE = /^[\x21-\x7e]+$/;
const MEMBERS = new Set(['access_key', 'secret_key']);

/**
 * Returns the keys in a secret, the JSON object `{access_key, secret_key}`.
 * @throws Error that does not contain the secret
 */
export function readKlingKeys(secret: string): KlingKeys {
  const members = parseObject(secret);
  const { access_key: accessKey, secret_key: secretKey } = members;
  if (!isPrintable(accessKey) || !isPrintable(secretKey)) throw unusable();
  if (Object.keys(members).some((name) => !MEMBERS.has(name))) throw unusable();
  return { accessKey, secretKey };
}

/** Without the parser's own error, which quotes the text. */
function parseObject(json: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw unusable();
  }
  if (!isObject(value)) throw unusable();
  return value;
}

const isPrintable = (value: unknown): value is string => typeof value === 'string' && PRINTABLE.test(value);

const unusable = () => new Error('credential must be JSON {"access_key", "secret_key"}');
