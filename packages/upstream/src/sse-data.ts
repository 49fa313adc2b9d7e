const FIELD = 'data:';
const LF = '\n';
const CLOSING_BRACE = 0x7d;

/**
 * Returns the data of an event, its lines joined; comments and other fields are not data. Read line by line: splitting
 * each event was, after parsing it, the most expensive part of translating a chunk.
 */
export function dataOf(event: Buffer): string {
  const text = withLf(event.toString('utf8', 0, contentEnd(event)));
  let data: string | undefined;
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf(LF, at);
    const next = found === -1 ? text.length : found;
    if (text.startsWith(FIELD, at)) {
      const start = at + FIELD.length;
      const line = text.slice(text[start] === ' ' ? start + 1 : start, next);
      data = data === undefined ? line : `${data}\n${line}`;
    }
    at = next + 1;
  }
  return data ?? '';
}

/** Removes trailing line ends: in most events a CR, if any, is only there. */
function contentEnd(event: Buffer): number {
  let end = event.length;
  while (end > 0 && (event[end - 1] === 0x0a || event[end - 1] === 0x0d)) end--;
  return end;
}

/** A CR ends a line too, with an LF or alone: clients read it that way, and both sides must agree on where events end. */
function withLf(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, LF) : text;
}

/** Cheap, and false for nearly every truncated or garbled event; true proves little. */
export const endsLikeObject = (event: Buffer): boolean => event[contentEnd(event) - 1] === CLOSING_BRACE;

/** Undefined when the data is not a JSON object. */
export function parseData(event: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(dataOf(event));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
