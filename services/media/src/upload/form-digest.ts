import { createHash } from 'node:crypto';

/** A part, as far as it matters for comparing two forms. */
export interface DigestedPart {
  readonly kind: 'field' | 'file';
  readonly name: string;
  /** A field's value, or the SHA-256 of a file's bytes. */
  readonly content: string;
}

/** SHA-256 in hex, equal for the same parts in the same order, whatever separates them. */
export function digestForm(parts: readonly DigestedPart[]): string {
  // JSON, so that no name or value is ambiguous.
  return createHash('sha256')
    .update(JSON.stringify(parts.map(({ kind, name, content }) => [kind, name, content])))
    .digest('hex');
}
