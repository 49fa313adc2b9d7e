import { expect, test } from '@jest/globals';
import { CountingShare } from './counting-share';
import { threadCpuMs } from './token-count';

let nowMs = 0;
const newShare = () => new CountingShare(() => nowMs);

function useCpu(forMs: number): void {
  const untilMs = threadCpuMs() + forMs;
  while (threadCpuMs() < untilMs);
}

/** The budgets of so many counts that use all of theirs. */
const budgets = (share: CountingShare, account: string, counts: number): number[] =>
  Array.from({ length: counts }, () =>
    share.run(account, 100, (budgetMs) => {
      useCpu(budgetMs);
      return budgetMs;
    }),
  );

test('an account has its share of a second, then only what an estimate needs', () => {
  const share = newShare();
  const [first, second, third, fourth] = budgets(share, 'a', 4);
  expect(first).toBe(100);
  expect(second).toBeLessThan(100.1);
  expect([third, fourth]).toEqual([2, 2]);
});

test('so have all accounts together, and the next second is new', () => {
  const share = newShare();
  const all = ['a', 'b', 'c', 'd'].flatMap((account) => budgets(share, account, 2));
  expect(all.reduce((sum, budgetMs) => sum + budgetMs, 0)).toBeLessThan(420);
  expect(budgets(share, 'e', 1)).toEqual([2]);
  nowMs += 1_000;
  expect(budgets(share, 'e', 1)).toEqual([100]);
});

test('a count that fails has used its time all the same', () => {
  const share = newShare();
  const fail = () =>
    share.run('a', 300, (budgetMs) => {
      useCpu(budgetMs);
      throw new Error('text past all measure');
    });
  expect(fail).toThrow('text past all measure');
  expect(budgets(share, 'a', 1)).toEqual([2]);
});
