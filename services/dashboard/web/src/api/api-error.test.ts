import { expect, test } from '@jest/globals';
import { ApiError, mayBeDone } from './api-error';

const answered = (status: number) => new ApiError(status, { type: '', code: '', message: '' });

test.each([0, 500, 502, 504])(
  'after status %p the order may still be made, and is known by its key',
  (status) => {
    expect(mayBeDone(answered(status))).toBe(true);
  },
);

test.each([400, 402, 404, 429])('after status %p it is over', (status) => {
  expect(mayBeDone(answered(status))).toBe(false);
});

test('what was made is over', () => {
  expect(mayBeDone(null)).toBe(false);
});
