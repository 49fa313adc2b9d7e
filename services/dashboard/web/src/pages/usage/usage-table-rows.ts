import type { UsageRow } from '../../api/usage';

/** A row of the table, the chart and the file. */
export interface NamedUsage extends UsageRow {
  /** Unique among the rows. */
  readonly id: string;
  readonly name: string;
}

export type Figure = 'cost' | 'calls' | 'errors' | 'input_tokens' | 'output_tokens' | 'images' | 'seconds';

export const FIGURES: readonly { readonly key: Figure; readonly title: string }[] = [
  { key: 'calls', title: 'Requests' },
  { key: 'errors', title: 'Failed' },
  { key: 'input_tokens', title: 'Input tokens' },
  { key: 'output_tokens', title: 'Output tokens' },
  { key: 'images', title: 'Images' },
  { key: 'seconds', title: 'Video seconds' },
  { key: 'cost', title: 'Cost' },
];

const NANO = 1e9;

/** Adds USD as integers of nano-USD, as the gateway does: sums of fractions drift. */
export function totalOf(rows: readonly UsageRow[], figure: Figure): number {
  if (figure !== 'cost') return rows.reduce((sum, row) => sum + row[figure], 0);
  return rows.reduce((sum, { cost }) => sum + Math.round(cost * NANO), 0) / NANO;
}

/** Returns the header, a line for each row, and the total. */
export function toLines(by: string, rows: readonly NamedUsage[]): (string | number)[][] {
  return [
    [by, ...FIGURES.map(({ key, title }) => (key === 'cost' ? 'Cost in USD' : title))],
    ...rows.map((row) => [row.name, ...FIGURES.map(({ key }) => row[key])]),
    ['Total', ...FIGURES.map(({ key }) => totalOf(rows, key))],
  ];
}
