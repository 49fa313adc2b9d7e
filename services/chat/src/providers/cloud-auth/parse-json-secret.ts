import type { z } from 'zod';

/**
 * Returns a secret that is a JSON object; undefined for any other, such as an API key.
 * @throws Error if the object is not what `schema` describes; never contains the secret
 */
export function parseJsonSecret<T>(secret: string, schema: z.ZodType<T>, what: string): T | undefined {
  if (!secret.trimStart().startsWith('{')) return undefined;
  const { success, data, error } = schema.safeParse(parse(secret));
  if (success) return data;
  const members = error.issues.map(({ path }) => path.join('.')).filter(Boolean);
  throw new Error(`the secret is not ${what}${members.length > 0 ? `: check ${members.join(', ')}` : ''}`);
}

/** The parser's own error would quote the secret. */
function parse(secret: string): unknown {
  try {
    return JSON.parse(secret);
  } catch {
    return undefined;
  }
}
