import { expect, test } from '@jest/globals';
import { TokenCounter } from './token-count';

function counted(text: string, budgetMs = 60_000): TokenCounter {
  const counter = new TokenCounter(budgetMs);
  counter.addText(text);
  return counter;
}

test('counts known texts as the public tokenizer does', () => {
  expect(counted('').tokens).toBe(0);
  expect(counted('Hello world').tokens).toBe(2);
  expect(counted('<|endoftext|>').tokens).toBeGreaterThan(1);
});

test('the counts of a long text’s pieces add up to the count of the whole', () => {
  const sentence = 'The quick brown fox jumps over the lazy dog, twice; then 42 times more.\n';
  const one = counted(sentence).tokens;
  expect(counted(sentence.repeat(2_000)).tokens).toBe(one * 2_000);
});

test('text that is slow to count is estimated once the CPU budget is spent', () => {
  const startedMs = performance.now();
  const counter = counted('é漢'.repeat(500_000), 20);
  expect(performance.now() - startedMs).toBeLessThan(5_000);
  expect(counter.exact).toBe(false);
  expect(counter.tokens).toBeGreaterThan(100_000);
});
