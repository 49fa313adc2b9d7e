const MAX_CHARS = 128;

/** The length is bounded because the meter and the tasks store the name. */
export function isModelName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_CHARS;
}
