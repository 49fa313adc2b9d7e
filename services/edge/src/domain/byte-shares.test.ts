import { expect, test } from '@jest/globals';
import { ByteShares } from './byte-shares';

test('each holder has a bound of its own, and what it gives back it may take again', () => {
  const shares = new ByteShares(10);
  expect(shares.take('a', 6)).toBe(true);
  expect(shares.take('a', 5)).toBe(false);
  expect(shares.take('a', 4)).toBe(true);
  expect(shares.take('b', 10)).toBe(true);
  shares.give('a', 4);
  expect(shares.take('a', 5)).toBe(false);
  expect(shares.take('a', 4)).toBe(true);
  shares.give('a', 10);
  expect(shares.take('a', 10)).toBe(true);
});
