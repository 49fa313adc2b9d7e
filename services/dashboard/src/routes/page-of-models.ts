import { GatewayError } from '@gateway/errors';
import { toList } from './to-json';

/** Returns the models after the cursor, by slug. */
export function pageOfModels<M extends { readonly slug: string }>(
  models: readonly M[],
  { limit, cursor }: { limit: number; cursor: string },
) {
  const after = decodeCursor(cursor);
  const rest = models
    .filter((model) => model.slug > after)
    .sort((one, other) => (one.slug < other.slug ? -1 : 1));
  const page = rest.slice(0, limit);
  return toList(page, rest.length > limit ? Buffer.from(page.at(-1)!.slug).toString('base64url') : '');
}

function decodeCursor(cursor: string): string {
  const slug = Buffer.from(cursor, 'base64url').toString();
  if (Buffer.from(slug).toString('base64url') === cursor) return slug;
  throw new GatewayError('invalid_request', { detail: 'cursor: invalid cursor' });
}
