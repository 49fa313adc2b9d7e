import { expect, test } from '@jest/globals';
import { CpuTimeQuota } from './cpu-time-quota';

function createQuota() {
  const clock = { nowMs: 0, cpuMs: 0 };
  const quota = new CpuTimeQuota({
    nowMs: () => clock.nowMs,
    cpuMs: () => clock.cpuMs,
    limitMs: 400,
    minimumMs: 2,
  });
  /** Runs work that uses its whole budget, and returns the budgets. */
  const budgets = (holder: string, runs: number): number[] =>
    Array.from({ length: runs }, () =>
      quota.run(holder, 100, (budgetMs) => {
        clock.cpuMs += budgetMs;
        return budgetMs;
      }),
    );
  return { clock, quota, budgets };
}

test('gives a single holder half of the CPU time of a second, then the minimum', () => {
  expect(createQuota().budgets('a', 4)).toEqual([100, 100, 2, 2]);
});

test('gives a holder as much as it leaves to the others, and starts over in the next second', () => {
  const { clock, budgets } = createQuota();
  expect(budgets('a', 2)).toEqual([100, 100]);
  expect(budgets('b', 2)).toEqual([100, 2]);
  expect(budgets('c', 2)[0]).toBe(49);
  clock.nowMs += 1_000;
  expect(budgets('c', 1)).toEqual([100]);
});

test('charges work that throws for the time it used', () => {
  const { clock, quota, budgets } = createQuota();
  const fail = () =>
    quota.run('a', 300, (budgetMs) => {
      clock.cpuMs += budgetMs;
      throw new Error('no');
    });
  expect(fail).toThrow('no');
  expect(budgets('a', 1)).toEqual([2]);
});
