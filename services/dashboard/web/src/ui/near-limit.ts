import { formatMoneyExact } from './format-money';

/** Part of a limit from which it is nearly reached. */
export const NEAR = 0.8;

/** Returns a warning once a spending limit is nearly reached; otherwise an empty string. */
export function nearLimit(usedUsd: number, limitUsd: number | null, code: string): string {
  if (limitUsd === null || usedUsd < NEAR * limitUsd) return '';
  if (usedUsd >= limitUsd) return `Requests are rejected with ${code}. `;
  const NANO = 1e9;
  const left = (Math.round(limitUsd * NANO) - Math.round(usedUsd * NANO)) / NANO;
  return `Requests that could cost more than the ${formatMoneyExact(left)} left are rejected or shortened. `;
}
