import { isObject } from '@gateway/upstream';

/** Members on the way to strings in a JSON value; `*` stands for every entry of a list. */
export type JsonPath = readonly string[];

/** Returns the value with the strings at the path replaced; the same value if none changes. */
export function mapStrings(
  value: unknown,
  path: JsonPath,
  map: (text: string) => string,
  depth = 0,
): unknown {
  const key = path[depth];
  if (key === undefined) return typeof value === 'string' ? map(value) : value;
  if (key === '*') return Array.isArray(value) ? mapEntries(value, path, map, depth) : value;
  if (!isObject(value)) return value;
  const inner = value[key];
  const mapped = inner === undefined ? inner : mapStrings(inner, path, map, depth + 1);
  return mapped === inner ? value : { ...value, [key]: mapped };
}

function mapEntries(
  entries: readonly unknown[],
  path: JsonPath,
  map: (text: string) => string,
  depth: number,
): readonly unknown[] {
  let mapped: unknown[] | undefined;
  for (const [at, entry] of entries.entries()) {
    const own = mapStrings(entry, path, map, depth + 1);
    if (own === entry) continue;
    mapped ??= [...entries];
    mapped[at] = own;
  }
  return mapped ?? entries;
}
