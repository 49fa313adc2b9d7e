import classes from './figures.module.css';
import { formatMoney, formatMoneyExact } from './format-money';

/** USD with as many decimals as matter; all decimals on hover. */
export function Money({ usd }: { usd: number }) {
  return (
    <span className={classes.figure} title={formatMoneyExact(usd)}>
      {formatMoney(usd)}
    </span>
  );
}
