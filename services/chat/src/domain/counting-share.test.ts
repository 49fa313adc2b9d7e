import { expect, test } from '@jest/globals';
import { CountingShare } from './counting-share';
import { TokenCounter, threadCpuMs } from './token-count';

let nowMs = 0;
const newShare = () => new CountingShare(() => nowMs, 400);

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

test('the time that the tokenizer takes to load is nobody’s', () => {
  const share = newShare();
  share.run('a', 10, (budgetMs) => new TokenCounter(budgetMs).addText('Hello world'));
  expect(share.run('a', 50, (budgetMs) => budgetMs)).toBe(50);
});

test('an account has half of a second’s time where it is alone, then only what an estimate needs', () => {
  const share = newShare();
  const [first, second, third, fourth] = budgets(share, 'a', 4);
  expect(first).toBe(100);
  expect(second).toBeGreaterThan(90);
  expect(second).toBeLessThanOrEqual(100);
  expect([third, fourth]).toEqual([2, 2]);
});

test('it leaves as much to the others, and the next second is new', () => {
  const share = newShare();
  const [, , b, , c, , d] = ['a', 'b', 'c', 'd'].flatMap((account) => budgets(share, account, 2));
  expect(b).toBeGreaterThan(80);
  expect(c).toBeGreaterThan(40);
  expect(d).toBeGreaterThan(15);
  nowMs += 1_000;
  expect(budgets(share, 'd', 1)).toEqual([100]);
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
