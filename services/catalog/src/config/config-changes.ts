import { isDeepStrictEqual } from 'node:util';

/** A value that differs, by its place in the configuration: `providers.groq.base_url`. Undefined: there is none. */
export interface ConfigChange {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Returns what differs between two values, member by member. @param from undefined: all of `to` is new */
export function changesBetween(path: string, from: unknown, to: unknown): ConfigChange[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (!isMembers(from) || !isMembers(to)) return [{ path, from, to }];
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].flatMap((name) => changesBetween(`${path}.${name}`, from[name], to[name]));
}

const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
