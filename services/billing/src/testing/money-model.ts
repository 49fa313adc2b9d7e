import { minBigint } from '../domain/int8';
import type { CallToAdmit } from '../reserve/rules/admission';

export const KEY_LIMITS = [
  { daily: 900n, monthly: null },
  { daily: null, monthly: 1_200n },
] as const;
export const ACCOUNT_DAILY = 1_500n;

interface ModelCall {
  readonly call: CallToAdmit;
  readonly key: number;
  readonly holdNano: bigint;
  /** UTC day of admission, `YYYY-MM-DD`. */
  readonly day: string;
  state: 'open' | 'expired' | 'over';
  chargedNano: bigint;
  /** The cost that the call's end reported. */
  costNano: bigint;
}

/** A naive implementation of the rules: sums over all calls, without stored figures. */
export class Model {
  balanceNano = 0n;
  readonly calls: ModelCall[] = [];

  /** Returns settled and held money of a day or, given `YYYY-MM`, a month; of one key or all keys. */
  used(period: string, key?: number): bigint {
    let sum = 0n;
    for (const call of this.calls) {
      if (!call.day.startsWith(period) || (key !== undefined && call.key !== key)) continue;
      sum += call.state === 'open' ? call.holdNano : call.chargedNano;
    }
    return sum;
  }

  held(): bigint {
    return this.calls.reduce((sum, call) => (call.state === 'open' ? sum + call.holdNano : sum), 0n);
  }

  /** Returns the operator's loss: cost that is not charged, and whole holds of calls with unknown cost. */
  loss(): bigint {
    return this.calls.reduce((sum, { state, holdNano, costNano, chargedNano }) => {
      if (state === 'open') return sum;
      return sum + (state === 'expired' ? holdNano : costNano - chargedNano);
    }, 0n);
  }

  /** Returns the rest of each fund on a day, in the order of precedence of their refusals. */
  free(day: string, key: number): [code: string, freeNano: bigint][] {
    const { daily, monthly } = KEY_LIMITS[key]!;
    return [
      ['insufficient_balance', this.balanceNano > 0n ? this.balanceNano - this.held() : -1n],
      ['key_monthly_limit', monthly === null ? 10n ** 9n : monthly - this.used(day.slice(0, 7), key)],
      ['account_daily_limit', ACCOUNT_DAILY - this.used(day)],
      ['key_daily_limit', daily === null ? 10n ** 9n : daily - this.used(day, key)],
    ];
  }

  least(day: string, key: number): bigint {
    return minBigint(10n ** 18n, ...this.free(day, key).map(([, free]) => free));
  }

  expected(day: string, key: number, boundNano: bigint, floorNano: bigint): string {
    const least = this.least(day, key);
    if (boundNano <= least) return `granted ${boundNano}`;
    const floor = floorNano === 0n ? 1n : floorNano;
    const needed = floor < boundNano ? floor : boundNano;
    const short = this.free(day, key).find(([, free]) => free < needed);
    if (short) return short[0];
    return `granted ${least / 8n >= floor ? least / 8n : least}`;
  }
}
