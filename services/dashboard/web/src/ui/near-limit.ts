import { formatMoneyExact } from './format-money';

/** From this part of a limit on it is tight. */
export const NEAR = 0.8;

/** What a limit of money means for the next call, from when it is tight; else nothing. */
export function nearLimit(usedUsd: number, limitUsd: number | null, code: string): string {
  if (limitUsd === null || usedUsd < NEAR * limitUsd) return '';
  if (usedUsd >= limitUsd) return `Requests are rejected with ${code}. `;
  const NANO = 1e9;
  const left = (Math.round(limitUsd * NANO) - Math.round(usedUsd * NANO)) / NANO;
  return `Requests that could cost more than the ${formatMoneyExact(left)} left are rejected or shortened. `;
}
