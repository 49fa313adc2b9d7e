const FIELD = 'data:';
const LF = '\n';

/**
 * The data of an event, its lines joined; comments and other fields are not data. Read line by line: to split each
 * event was, after parsing it, the dearest part of translating a chunk.
 */
export function dataOf(event: Buffer): string {
  const text = event.toString('utf8');
  let data: string | undefined;
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf(LF, at);
    const next = found === -1 ? text.length : found;
    if (text.startsWith(FIELD, at)) {
      const line = lineValue(text, at + FIELD.length, next);
      data = data === undefined ? line : `${data}\n${line}`;
    }
    at = next + 1;
  }
  return data ?? '';
}

/** Without the one space that may precede it, and the CR of a line that ends with both. */
function lineValue(text: string, from: number, end: number): string {
  const endsWithCr = end < text.length && end > from && text[end - 1] === '\r';
  return text.slice(text[from] === ' ' ? from + 1 : from, endsWithCr ? end - 1 : end);
}

/** Undefined when the data is no JSON object. */
export function parseData(event: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(dataOf(event));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
