import { expect, test } from '@jest/globals';
import { ByteShares } from './byte-shares';

const PLENTY = 1_000;

test('each holder has a bound of its own, and what it gives back it may take again', () => {
  const shares = new ByteShares({ maxBytes: 10, reservedBytes: 0, littleBytes: 0 });
  expect(shares.take('a', 6, PLENTY)).toBe(true);
  expect(shares.take('a', 5, PLENTY)).toBe(false);
  expect(shares.take('a', 4, PLENTY)).toBe(true);
  expect(shares.take('b', 10, PLENTY)).toBe(true);
  shares.give('a', 4);
  expect(shares.take('a', 5, PLENTY)).toBe(false);
  expect(shares.take('a', 4, PLENTY)).toBe(true);
  shares.give('a', 10);
  expect(shares.take('a', 10, PLENTY)).toBe(true);
});

test('the last of all is for those who have little', () => {
  const shares = new ByteShares({ maxBytes: 100, reservedBytes: 50, littleBytes: 10 });
  expect(shares.take('a', 90, 50)).toBe(true);
  expect(shares.take('a', 1, 49)).toBe(false);
  expect(shares.take('b', 10, 49)).toBe(true);
  expect(shares.take('b', 1, 39)).toBe(false);
  expect(shares.take('c', 10, 0)).toBe(true);
});

test('where that is said, a holder may have as much as it leaves to the others', () => {
  const shares = new ByteShares({ maxBytes: 10, orWhatIsLeft: true, reservedBytes: 0, littleBytes: 0 });
  expect(shares.take('a', 50, 50)).toBe(true);
  expect(shares.take('a', 1, 49)).toBe(false);
  expect(shares.take('b', 26, 24)).toBe(false);
  expect(shares.take('b', 25, 25)).toBe(true);
  expect(shares.take('c', 10, 5)).toBe(true);
});
