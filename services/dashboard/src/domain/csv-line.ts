/** Spreadsheets take these for the start of a formula; a text that starts with one could be executed. */
const FORMULA = /^[=+\-@\t\r]/;

/** Returns a line of CSV (RFC 4180); null is an empty field. */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => toField(cell ?? '')).join(',')}\r\n`;
}

function toField(cell: string): string {
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
