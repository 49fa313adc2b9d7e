import { monthOf, type WindowKind } from '../../domain/utc-windows';

/** The effect of a hold, or of its end, on its account and windows. */
export interface MoneyChange {
  readonly accountId: string;
  readonly keyId: string;
  /** UTC day of the windows, `YYYY-MM-DD`. */
  readonly day: string;
  /** Negative: released. */
  readonly heldNano: bigint;
  readonly settledNano: bigint;
}

export interface MoneySum {
  readonly accountId: string;
  heldNano: bigint;
  settledNano: bigint;
}

export interface WindowSum extends MoneySum {
  readonly kind: WindowKind;
  readonly subjectId: string;
  readonly startsOn: string;
}

/** Sums the changes per account and per window. */
export function sumMoney(changes: readonly MoneyChange[]): { accounts: MoneySum[]; windows: WindowSum[] } {
  const accounts = new Map<string, MoneySum>();
  const windows = new Map<string, WindowSum>();
  // Most changes of a batch belong to one key.
  for (const { accountId, keyId, day, ...nano } of sumByKeyDay(changes)) {
    add(accounts, accountId, { accountId, ...nano });
    for (const [kind, subjectId, startsOn] of [
      ['key_day', keyId, day],
      ['key_month', keyId, monthOf(day)],
      ['account_day', accountId, day],
    ] as const) {
      add(windows, `${kind} ${startsOn} ${subjectId}`, { accountId, kind, subjectId, startsOn, ...nano });
    }
  }
  return { accounts: [...accounts.values()], windows: [...windows.values()] };
}

function sumByKeyDay(changes: readonly MoneyChange[]): Iterable<MoneyChange> {
  const sums = new Map<string, MoneyChange & MoneySum>();
  for (const change of changes) add(sums, change.accountId + change.day + change.keyId, change);
  return sums.values();
}

/** Adds to the sum with this name; the first change creates it. */
function add<Sum extends { heldNano: bigint; settledNano: bigint }>(
  sums: Map<string, Sum>,
  name: string,
  change: Readonly<Sum>,
): void {
  const sum = sums.get(name);
  if (!sum) {
    sums.set(name, { ...change });
    return;
  }
  sum.heldNano += change.heldNano;
  sum.settledNano += change.settledNano;
}
