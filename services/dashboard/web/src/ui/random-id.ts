const BYTES = 16;

/** Not `crypto.randomUUID`, which a browser has only on pages that came by https or from this machine. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
