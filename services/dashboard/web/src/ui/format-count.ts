/** `1,234`. */
export const formatCount = (count: number): string => count.toLocaleString('en-US');

/** `1.2M`, for summary figures. */
export const formatCompact = (count: number): string =>
  count < 10_000
    ? formatCount(count)
    : count.toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 1 });
