import { isObject, type JsonObject } from '@gateway/upstream';

/** Members of a message that hold parts. */
const INNER = ['content', 'tool_calls'];

/**
 * Returns the messages or tools without the given fields, on them and on their parts and calls; deeper values are the caller's
 * data. Undefined if there is nothing to remove.
 */
export function withoutFields(list: unknown, fields: readonly string[]): readonly unknown[] | undefined {
  if (fields.length === 0) return undefined;
  const foreign = new Set(fields);
  return changed(list, (holder) => without(holder, foreign));
}

/**
 * Returns the messages or tools with cache hints of the usual lifetime: the usage of this format does not tell how long a cached
 * prompt lives, so a longer lifetime could not be billed. Undefined if there is nothing to change.
 */
export const withUsualCaching = (list: unknown): readonly unknown[] | undefined =>
  changed(list, usualCaching);

function usualCaching(holder: JsonObject): JsonObject {
  const { cache_control: hint } = holder;
  if (!isObject(hint) || hint.ttl === undefined) return holder;
  const { ttl: _, ...usual } = hint;
  return { ...holder, cache_control: usual };
}

type Change = (holder: JsonObject) => JsonObject;

function changed(list: unknown, change: Change): readonly unknown[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const cleaned = list.map((entry) => clean(entry, change));
  return cleaned.some((entry, index) => entry !== list[index]) ? cleaned : undefined;
}

/** Returns the same object if there is nothing to remove. */
function clean(entry: unknown, change: Change): unknown {
  if (!isObject(entry)) return entry;
  let cleaned = change(entry);
  for (const field of INNER) {
    const inner = cleaned[field];
    if (!Array.isArray(inner)) continue;
    const cleanedInner = inner.map((part) => (isObject(part) ? change(part) : part));
    if (cleanedInner.some((part, index) => part !== inner[index]))
      cleaned = { ...cleaned, [field]: cleanedInner };
  }
  return cleaned;
}

function without(holder: JsonObject, foreign: ReadonlySet<string>): JsonObject {
  if (!Object.keys(holder).some((key) => foreign.has(key))) return holder;
  return Object.fromEntries(Object.entries(holder).filter(([key]) => !foreign.has(key)));
}
