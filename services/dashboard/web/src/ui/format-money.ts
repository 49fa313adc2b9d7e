const MIN_DECIMALS = 2;
/** Of a USD figure of the gateway's. */
const MAX_DECIMALS = 9;
const SIGNIFICANT_DIGITS = 3;

/** As many decimals as matter: `$12.50`, `$0.000123`. */
export function formatMoney(usd: number): string {
  return format(usd, Math.abs(usd) >= 1 ? MIN_DECIMALS : decimalsOfSmall(Math.abs(usd)));
}

/** To the last of the gateway's nine decimals: `$0.000123456`. */
export function formatMoneyExact(usd: number): string {
  return format(usd, MAX_DECIMALS);
}

/** Up to three digits that are not leading zeros. */
function decimalsOfSmall(usd: number): number {
  if (usd === 0) return MIN_DECIMALS;
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
