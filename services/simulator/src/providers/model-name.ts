const MAX_CHARS = 128;

/** The meter and the tasks keep it, so that it has a bound. */
export function isModelName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_CHARS;
}
