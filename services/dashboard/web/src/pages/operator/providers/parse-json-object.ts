/** Parses the text of a JSON field; empty: an object without members. Returns a problem as text. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | string {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Readonly<Record<string, unknown>>;
    }
    return 'Must be a JSON object, such as {"a": 1}.';
  } catch (error) {
    return `Invalid JSON: ${error instanceof Error ? error.message : 'it can’t be read'}.`;
  }
}

/** Empty for an object without members. */
export const toJsonText = (value: Readonly<Record<string, unknown>>): string =>
  Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2);
