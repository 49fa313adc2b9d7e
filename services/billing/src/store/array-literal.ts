/** Needs no quotes in an array: none of PostgreSQL's signs, nor the word for null. */
const PLAIN = /^(?!null$)[\w./:@+-]+$/i;

export type Element = string | number | bigint | boolean | Buffer | null;

/** PostgreSQL's text of an array, several times cheaper than the driver's, which quotes and escapes every element. */
export function arrayLiteral(values: readonly Element[]): string {
  let literal = '';
  for (const value of values) literal += literal === '' ? elementLiteral(value) : `,${elementLiteral(value)}`;
  return `{${literal}}`;
}

function elementLiteral(value: Element): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return PLAIN.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`;
  return Buffer.isBuffer(value) ? `"\\\\x${value.toString('hex')}"` : `${value}`;
}
