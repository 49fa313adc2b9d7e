import { isObject } from '@gateway/upstream';

/** Members on the way to values within a JSON value; `*` stands for every entry of a list, a condition for objects that meet it. */
export type JsonPath = readonly (string | Condition)[];

/** A member and its value. */
export type Condition = readonly [member: string, value: string];

/** Returns the value with those at the path replaced; the same value if none changes. */
export function mapAt(value: unknown, path: JsonPath, map: (inner: unknown) => unknown, depth = 0): unknown {
  const key = path[depth];
  if (key === undefined) return map(value);
  if (key === '*') return Array.isArray(value) ? mapEntries(value, path, map, depth) : value;
  if (!isObject(value)) return value;
  if (typeof key !== 'string') return value[key[0]] === key[1] ? mapAt(value, path, map, depth + 1) : value;
  const inner = value[key];
  const mapped = inner === undefined ? inner : mapAt(inner, path, map, depth + 1);
  return mapped === inner ? value : { ...value, [key]: mapped };
}

function mapEntries(
  entries: readonly unknown[],
  path: JsonPath,
  map: (inner: unknown) => unknown,
  depth: number,
): readonly unknown[] {
  let mapped: unknown[] | undefined;
  // A third faster than an iterator, for lists that every call has.
  for (let at = 0; at < entries.length; at++) {
    const own = mapAt(entries[at], path, map, depth + 1);
    if (own === entries[at]) continue;
    mapped ??= [...entries];
    mapped[at] = own;
  }
  return mapped ?? entries;
}

/** Returns a function for values, which leaves all but strings as they are. */
export const onStrings =
  (map: (text: string) => string) =>
  (value: unknown): unknown =>
    typeof value === 'string' ? map(value) : value;
