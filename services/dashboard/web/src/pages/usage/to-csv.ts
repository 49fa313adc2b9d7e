type Cell = string | number;

/** What spreadsheets take for the beginning of a formula; a name that begins so could run as one. */
const FORMULA = /^[=+\-@\t\r]/;

/** RFC 4180, with the mark by which spreadsheets know UTF-8. */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return `\uFEFF${rows.map((cells) => `${cells.map(toField).join(',')}\r\n`).join('')}`;
}

function toField(cell: Cell): string {
  if (typeof cell === 'number') return toDecimal(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Never as `1e-9`. */
function toDecimal(value: number): string {
  const MAX_DECIMALS = 9;
  return value.toFixed(MAX_DECIMALS).replace(/\.?0+$/, '');
}
