export interface ChartSeries {
  readonly name: string;
  /** A value for each category. */
  readonly values: readonly number[];
  /** A color of the theme. */
  readonly color: 'indigo' | 'teal' | 'red' | 'orange' | 'grape' | 'cyan' | 'gray';
}
