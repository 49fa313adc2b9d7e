import { expect, test } from '@jest/globals';
import { CpuTimeQuota } from './cpu-time-quota';

function world() {
  const clock = { nowMs: 0, cpuMs: 0 };
  const quota = new CpuTimeQuota({
    nowMs: () => clock.nowMs,
    cpuMs: () => clock.cpuMs,
    limitMs: 400,
    minimumMs: 2,
  });
  /** Budgets of runs that use all of theirs. */
  const budgets = (holder: string, runs: number): number[] =>
    Array.from({ length: runs }, () =>
      quota.run(holder, 100, (budgetMs) => {
        clock.cpuMs += budgetMs;
        return budgetMs;
      }),
    );
  return { clock, quota, budgets };
}

test('a holder that is alone has half of the time in a second, then the minimum', () => {
  expect(world().budgets('a', 4)).toEqual([100, 100, 2, 2]);
});

test('a holder leaves as much time to the others, and the next second starts over', () => {
  const { clock, budgets } = world();
  expect(budgets('a', 2)).toEqual([100, 100]);
  expect(budgets('b', 2)).toEqual([100, 2]);
  expect(budgets('c', 2)[0]).toBe(49);
  clock.nowMs += 1_000;
  expect(budgets('c', 1)).toEqual([100]);
});

test('work that fails is charged for the time it used', () => {
  const { clock, quota, budgets } = world();
  const fail = () =>
    quota.run('a', 300, (budgetMs) => {
      clock.cpuMs += budgetMs;
      throw new Error('no');
    });
  expect(fail).toThrow('no');
  expect(budgets('a', 1)).toEqual([2]);
});
