/** The accounts of a fleet. */
export interface Accounts {
  /** Calls per second of each. */
  readonly rates: Float64Array;
  /** Part of all calls that the largest account has before it is split. */
  readonly largestShare: number;
  /** Accounts that are split, because no account may have more calls per second than the limit. */
  readonly split: number;
}

/** Returns accounts whose calls per second follow Zipf's law: those of the account at rank `r` are proportional to `1 / r ** exponent`. */
export function zipfAccounts(
  count: number,
  exponent: number,
  callsPerS: number,
  limitPerS: number,
): Accounts {
  const weights = Float64Array.from({ length: count }, (_, i) => (i + 1) ** -exponent);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const parts = [...weights].map((weight) => {
    const rate = (weight / sum) * callsPerS;
    const pieces = Math.ceil(rate / limitPerS);
    return Array<number>(pieces).fill(rate / pieces);
  });
  const split = parts.filter(({ length }) => length > 1).length;
  return { rates: Float64Array.from(parts.flat()), largestShare: weights[0]! / sum, split };
}

export function placeAtRandom(accounts: number, cells: number, random: () => number): Int32Array {
  return Int32Array.from({ length: accounts }, () => Math.floor(random() * cells));
}

/** Each account, in random order, is created in the cell with the least calls so far. */
export function placeByLoad(rates: Float64Array, cells: number, random: () => number): Int32Array {
  const cellOf = new Int32Array(rates.length);
  const loads = new Float64Array(cells);
  const order = [...rates.keys()].map((account) => ({ account, at: random() })).sort((a, b) => a.at - b.at);
  for (const { account } of order) {
    const cell = loads.indexOf(Math.min(...loads));
    cellOf[account] = cell;
    loads[cell]! += rates[account]!;
  }
  return cellOf;
}

/**
 * Moves accounts of the fullest cell to the emptiest until none has more than `maxRatio` of the mean: each time the largest account
 * that leaves the emptiest cell below the mean. Returns the number of moves.
 */
export function moveLargest(
  rates: Float64Array,
  cellOf: Int32Array,
  cells: number,
  maxRatio: number,
): number {
  const loads = loadsOf(rates, cellOf, cells);
  const mean = loads.reduce((sum, load) => sum + load, 0) / cells;
  for (let moves = 0; ; moves++) {
    const fullest = indexOfMax(loads);
    const emptiest = loads.indexOf(Math.min(...loads));
    if (loads[fullest]! <= maxRatio * mean) return moves;
    let largest = -1;
    for (const [account, rate] of rates.entries()) {
      if (cellOf[account] !== fullest || loads[emptiest]! + rate > mean) continue;
      if (largest < 0 || rate > rates[largest]!) largest = account;
    }
    if (largest < 0) return moves;
    cellOf[largest] = emptiest;
    loads[fullest]! -= rates[largest]!;
    loads[emptiest]! += rates[largest]!;
  }
}

export function loadsOf(rates: Float64Array, cellOf: Int32Array, cells: number): Float64Array {
  const loads = new Float64Array(cells);
  for (const [account, rate] of rates.entries()) loads[cellOf[account]!]! += rate;
  return loads;
}

export const indexOfMax = (values: Float64Array): number =>
  values.reduce((largest, value, i) => (value > values[largest]! ? i : largest), 0);
