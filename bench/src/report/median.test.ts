import { expect, test } from '@jest/globals';
import { median } from './median';

test('median returns the middle value, or the mean of the middle two', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([10, 2])).toBe(6);
  expect(median([3])).toBe(3);
  expect(median([])).toBeNaN();
});
