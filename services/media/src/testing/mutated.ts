/** Returns the value with any one part replaced. */
export function mutated(value: unknown, [step = 0, ...path]: readonly number[], by: unknown): unknown {
  if (typeof value !== 'object' || value === null || path.length === 0) return by;
  const keys = Object.keys(value);
  if (keys.length === 0) return by;
  const key = keys[step % keys.length]!;
  const part = mutated((value as Record<string, unknown>)[key], path, by);
  return Array.isArray(value) ? value.with(Number(key), part) : { ...value, [key]: part };
}
