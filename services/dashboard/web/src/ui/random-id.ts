const BYTES = 16;

/** Browsers have `crypto.randomUUID` only on pages from https or localhost. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
