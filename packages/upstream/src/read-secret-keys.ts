import { isObject } from './json-value';

/** What a header may contain, without spaces. */
const PRINTABLE = /^[\x21-\x7e]+$/;

export const isPrintable = (value: unknown): value is string =>
  typeof value === 'string' && PRINTABLE.test(value);

/**
 * Returns the members of a secret that is a JSON object of printable texts without spaces. Undefined for any other secret, for one
 * that lacks a required member, and for one with other members. Never throws: the parser's own error would quote the secret.
 */
export function readSecretKeys<Required extends string, Optional extends string = never>(
  secret: string,
  required: readonly Required[],
  optional: readonly Optional[] = [],
): (Record<Required, string> & Partial<Record<Optional, string>>) | undefined {
  let keys: unknown;
  try {
    keys = JSON.parse(secret);
  } catch {
    return undefined;
  }
  if (!isObject(keys) || !required.every((name) => Object.hasOwn(keys as object, name))) return undefined;
  const names: readonly string[] = [...required, ...optional];
  const isUsable = Object.entries(keys).every(([name, value]) => names.includes(name) && isPrintable(value));
  return isUsable ? (keys as Record<Required, string> & Partial<Record<Optional, string>>) : undefined;
}
