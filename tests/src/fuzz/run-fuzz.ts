import fc from 'fast-check';

const HEAVY = process.env.TEST_HEAVY === '1';
/** Calls that are under way together. */
const WIDTH = 12;

/** How many cases of a fuzzer; the long run has twenty times as many. */
export function casesOf(usual: number): number {
  return HEAVY ? usual * 20 : usual;
}

/**
 * Runs the check on so many cases, some at a time. A failure names the seed; FUZZ_SEED repeats it.
 * @param limitMs of one batch: longer is a hang
 */
export async function runFuzz<T>(
  arbitrary: fc.Arbitrary<T>,
  cases: number,
  check: (value: T) => Promise<void>,
  limitMs = 10_000,
): Promise<void> {
  const seed = process.env.FUZZ_SEED ? Number(process.env.FUZZ_SEED) : undefined;
  const batches = fc.array(arbitrary, { minLength: WIDTH, maxLength: WIDTH });
  await fc.assert(
    fc.asyncProperty(batches, async (batch) => {
      await Promise.all(batch.map(check));
    }),
    {
      numRuns: Math.ceil(cases / WIDTH),
      timeout: limitMs,
      // Batches shrink slowly, and each failing one may take all its time.
      interruptAfterTimeLimit: HEAVY ? 1_800_000 : 40_000,
      markInterruptAsFailure: true,
      endOnFailure: false,
      ...(seed !== undefined && { seed }),
    },
  );
}
