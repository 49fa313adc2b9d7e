const MIN_DECIMALS = 2;
/** Decimals of the gateway's amounts. */
const MAX_DECIMALS = 9;
/** A request may cost a hundredth of a cent, and a balance of a few dollars must show it. */
const DECIMALS_OF_DOLLARS = 4;
const LARGE_USD = 100;
const SIGNIFICANT_DIGITS = 3;

/** With as many decimals as matter: `$12.50`, `$9.9957`, `$0.000123`. */
export function formatMoney(usd: number): string {
  return format(usd, decimalsThatMatter(Math.abs(usd)));
}

/** With all decimals of the gateway's nine: `$0.000123456`. */
export function formatMoneyExact(usd: number): string {
  return format(usd, MAX_DECIMALS);
}

/** Below a dollar, up to three significant digits. */
function decimalsThatMatter(usd: number): number {
  if (usd >= LARGE_USD || usd === 0) return MIN_DECIMALS;
  if (usd >= 1) return DECIMALS_OF_DOLLARS;
  const leadingZeros = -Math.floor(Math.log10(usd)) - 1;
  return Math.min(MAX_DECIMALS, Math.max(MIN_DECIMALS, leadingZeros + SIGNIFICANT_DIGITS));
}

function format(usd: number, maximumFractionDigits: number): string {
  const digits = Math.abs(usd).toLocaleString('en-US', {
    minimumFractionDigits: MIN_DECIMALS,
    maximumFractionDigits,
  });
  const isNothing = !/[1-9]/.test(digits);
  return `${usd < 0 && !isNothing ? '-' : ''}$${digits}`;
}
