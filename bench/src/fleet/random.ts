/** Returns a generator of numbers from 0 up to 1 (mulberry32). The same seed gives the same run. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const exponential = (random: () => number, mean: number): number => -mean * Math.log(1 - random());

/** Returns a function that draws an index with a probability proportional to its weight. */
export function weightedSampler(weights: Float64Array, random: () => number): () => number {
  let sum = 0;
  const sums = weights.map((weight) => {
    sum += weight;
    return sum;
  });
  return () => {
    const drawn = random() * sum;
    let low = 0;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! > drawn) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
