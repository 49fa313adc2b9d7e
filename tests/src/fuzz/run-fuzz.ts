import fc from 'fast-check';
import { withConcurrency } from '../support/with-concurrency';

const HEAVY = process.env.TEST_HEAVY === '1';
/** Number of concurrent calls. */
const WIDTH = 12;
/** The heavy run has this many times the cases of a normal run. */
const HEAVY_FACTOR = 100;
/** A hundred times longer than any case takes, so that only a hang fails. */
const HANG_MS = 60_000;
/** Time limit for minimizing a failing case. */
const SHRINK_MS = 60_000;
/** Keeps failure messages readable. */
const MAX_SHOWN_CHARS = 3_000;

/** Returns the number of cases of this run. */
export function caseCount(full: number): number {
  return HEAVY ? full : Math.ceil(full / HEAVY_FACTOR);
}

interface FailedCase<T> {
  readonly index: number;
  readonly value: T;
  readonly error: unknown;
}

/** Runs the check on that many cases, several concurrently. A failure shows the failing case; FC_SEED repeats it. */
export async function runFuzz<T>(
  arbitrary: fc.Arbitrary<T>,
  cases: number,
  check: (value: T) => Promise<void>,
): Promise<void> {
  const { seed = Math.trunc(Math.random() * 2 ** 31) } = fc.readConfigureGlobal();
  const values: T[] = [];
  const collect = fc.property(arbitrary, (value) => void values.push(value));
  fc.assert(collect, { seed, numRuns: cases });
  const failed = await firstFailure(values.entries(), check);
  if (!failed) return;
  const { index } = failed;
  const alone = await fc.check(fc.asyncProperty(arbitrary, check), {
    seed,
    path: `${index}`,
    numRuns: 1,
    timeout: HANG_MS,
    interruptAfterTimeLimit: SHRINK_MS,
    markInterruptAsFailure: true,
  });
  const smallest = alone.counterexample;
  const [error, which, shown] = smallest
    ? [alone.errorInstance, 'the smallest failing case', smallest[0]]
    : [failed.error, 'the case, which passes when it runs alone,', failed.value];
  throw new Error(
    `${cut(messageOf(error))}\ncase ${index} of ${cases}, FC_SEED=${seed}; ${which} is\n${cut(fc.stringify(shown))}`,
  );
}

/** Returns the first failure, after which no more cases start; undefined if there is none. */
async function firstFailure<T>(
  cases: IterableIterator<[number, T]>,
  check: (value: T) => Promise<void>,
): Promise<FailedCase<T> | undefined> {
  let failed: FailedCase<T> | undefined;
  await withConcurrency(WIDTH, cases, async ([index, value]) => {
    if (failed) return;
    try {
      await rejectIfHanging(check(value));
    } catch (error) {
      failed ??= { index, value, error };
    }
  });
  return failed;
}

async function rejectIfHanging(checking: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${HANG_MS} ms`)), HANG_MS);
  });
  try {
    await Promise.race([checking, hang]);
  } finally {
    clearTimeout(timer);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function cut(text: string): string {
  const over = text.length - MAX_SHOWN_CHARS;
  return over > 0 ? `${text.slice(0, MAX_SHOWN_CHARS)} … and ${over} more characters` : text;
}
