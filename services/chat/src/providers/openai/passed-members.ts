import type { OpenAiDialect } from './dialect';
import { withoutForeign } from './foreign-fields';
import { refusedHints } from './write-request';

/**
 * What of a caller's own body the provider would refuse the call for, though it is only a hint or has another
 * name there: the new JSON of a top-level member, or undefined for one to leave out. These are the last word
 * on `stream_options` too: some providers do not know it.
 * @param body the caller's, parsed
 */
export function passedMembers(
  body: Readonly<Record<string, unknown>>,
  capabilities: ReadonlySet<string>,
  dialect: OpenAiDialect,
): ReadonlyMap<string, string | undefined> {
  const members = new Map<string, string | undefined>();
  const effort = typeof body.reasoning_effort === 'string' ? body.reasoning_effort : undefined;
  for (const field of refusedHints(dialect, capabilities, effort)) members.set(field, undefined);
  if (dialect.seedField !== 'seed' && 'seed' in body) {
    members.set('seed', undefined);
    if (typeof body.seed === 'number') members.set(dialect.seedField, String(body.seed));
  }
  for (const field of ['messages', 'tools']) {
    const list = withoutForeign(body[field], dialect.foreignFields);
    if (list) members.set(field, JSON.stringify(list));
  }
  return members;
}
