import { expect, test } from '@jest/globals';
import { percentile } from './percentile';

test('percentile returns the nearest-rank value', () => {
  const values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  expect(percentile(values, 0.5)).toBe(5);
  expect(percentile(values, 0.99)).toBe(10);
  expect(percentile(values, 0)).toBe(1);
  expect(percentile([7], 0.5)).toBe(7);
  expect(percentile([], 0.5)).toBeNaN();
});
