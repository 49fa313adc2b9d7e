import { expect, test } from '@jest/globals';
import { median } from './median';

test('is the middle of the values', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([10, 2])).toBe(6);
  expect(median([3])).toBe(3);
  expect(median([])).toBeNaN();
});
