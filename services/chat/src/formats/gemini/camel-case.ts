import { GatewayError } from '@gateway/errors';

/** Members whose content the caller names: arguments, schemas, labels. */
const FREE = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'responseFormat',
  'labels',
]);

/**
 * Returns the value with the names of its members in camel case. Google's API accepts both cases, and the Python package mixes
 * them. Recursion is safe because the depth of a body is bounded.
 * @throws GatewayError `invalid_request` for a member in both cases: Google might use a different one than was checked
 */
export function camelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCase);
  if (typeof value !== 'object' || value === null) return value;
  const renamed: Record<string, unknown> = Object.create(null);
  for (const [name, inner] of Object.entries(value)) {
    const key = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (key in renamed) throw new GatewayError('invalid_request', { detail: 'the body has a repeated key' });
    renamed[key] = FREE.has(key) ? inner : camelCase(inner);
  }
  return { ...renamed };
}
