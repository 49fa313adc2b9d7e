import { expect, test } from '@jest/globals';
import { boundTokens, countTokens, estimateTokens } from './embedding-size';

const texts = (...list: string[]) => ({ kind: 'texts', list }) as const;
const TOKENS = { kind: 'tokens', list: [[1, 2, 3], [4]] } as const;

test('bounds texts by their bytes and by the context of each input', () => {
  expect(boundTokens(texts('abc', 'é'), 100)).toBe(3 + 2 + 2 * 2);
  expect(boundTokens(texts('a'.repeat(1_000), 'b'), 100)).toBe(200);
});

test('takes the tokens of token lists exactly', () => {
  expect(boundTokens(TOKENS, 100)).toBe(4);
  expect(boundTokens(TOKENS, 1)).toBe(2);
  expect(estimateTokens(TOKENS, 'o200k')).toBe(4);
  expect(countTokens(TOKENS, 100)).toBe(4);
});

test('counts each text up to the context', () => {
  expect(countTokens(texts('one two three', 'four'), 100)).toBe(4);
  expect(countTokens(texts('one two three', 'four'), 2)).toBe(3);
});

test('estimates texts close to their count', () => {
  const prose = texts('The quick brown fox jumps over the lazy dog. '.repeat(100));
  const ratio = estimateTokens(prose, 'o200k') / countTokens(prose, 100_000);
  expect(ratio).toBeGreaterThan(0.8);
  expect(ratio).toBeLessThan(1.2);
});
