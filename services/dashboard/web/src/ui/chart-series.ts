export interface ChartSeries {
  readonly name: string;
  /** One for each category. */
  readonly values: readonly number[];
  /** Of the theme. */
  readonly color: 'indigo' | 'teal' | 'red' | 'orange' | 'grape' | 'cyan' | 'gray';
}
