type Cell = string | number;

/** Spreadsheets take these for the start of a formula; a name that starts with one could be executed. */
const FORMULA = /^[=+\-@\t\r]/;

/** Returns RFC 4180 text with the byte order mark by which spreadsheets detect UTF-8. */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return `\uFEFF${rows.map((cells) => `${cells.map(toField).join(',')}\r\n`).join('')}`;
}

function toField(cell: Cell): string {
  if (typeof cell === 'number') return toDecimal(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Without an exponent (`1e-9`). */
function toDecimal(value: number): string {
  const MAX_DECIMALS = 9;
  return value.toFixed(MAX_DECIMALS).replace(/\.?0+$/, '');
}
