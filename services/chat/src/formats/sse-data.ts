/** The data of an event, its lines joined; comments and other fields are not data. */
export function dataOf(event: Buffer): string {
  const lines = event.toString('utf8').split(/\r?\n/);
  const data = lines
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).replace(/^ /, ''));
  return data.join('\n');
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
