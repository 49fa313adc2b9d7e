import { createHash } from 'node:crypto';

/** A part as far as it decides whether two forms say the same. */
export interface DigestedPart {
  readonly kind: 'field' | 'file';
  readonly name: string;
  /** Of a field its value, of a file the SHA-256 of its bytes. */
  readonly content: string;
}

/** The same for the same parts in the same order, whatever stands between them: SHA-256 in hex. */
export function digestForm(parts: readonly DigestedPart[]): string {
  // JSON, so that no name or value can pass for two.
  return createHash('sha256')
    .update(JSON.stringify(parts.map(({ kind, name, content }) => [kind, name, content])))
    .digest('hex');
}
