import { isObject, type JsonObject } from '@gateway/upstream';

/** Members of a message that hold parts. */
const INNER = ['content', 'tool_calls'];

/**
 * Returns the messages or tools without the given fields, on them and on their parts and calls; deeper values are the caller's
 * data. Undefined if there is nothing to remove.
 */
export function withoutFields(list: unknown, fields: readonly string[]): readonly unknown[] | undefined {
  if (!Array.isArray(list) || fields.length === 0) return undefined;
  const foreign = new Set(fields);
  const cleaned = list.map((entry) => clean(entry, foreign));
  return cleaned.some((entry, index) => entry !== list[index]) ? cleaned : undefined;
}

/** Returns the same object if there is nothing to remove. */
function clean(entry: unknown, foreign: ReadonlySet<string>): unknown {
  if (!isObject(entry)) return entry;
  let cleaned = without(entry, foreign);
  for (const field of INNER) {
    const inner = cleaned[field];
    if (!Array.isArray(inner)) continue;
    const cleanedInner = inner.map((part) => (isObject(part) ? without(part, foreign) : part));
    if (cleanedInner.some((part, index) => part !== inner[index]))
      cleaned = { ...cleaned, [field]: cleanedInner };
  }
  return cleaned;
}

function without(holder: JsonObject, foreign: ReadonlySet<string>): JsonObject {
  if (!Object.keys(holder).some((key) => foreign.has(key))) return holder;
  return Object.fromEntries(Object.entries(holder).filter(([key]) => !foreign.has(key)));
}
