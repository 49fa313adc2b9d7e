import { expect, test } from '@jest/globals';
import { ApiError, mayHaveSucceeded } from './api-error';

const answered = (status: number) => new ApiError(status, { type: '', code: '', message: '' });

test.each([0, 500, 502, 504])('a call with status %p may have been executed', (status) => {
  expect(mayHaveSucceeded(answered(status))).toBe(true);
});

test.each([400, 402, 404, 429])('a call with status %p was not executed', (status) => {
  expect(mayHaveSucceeded(answered(status))).toBe(false);
});

test('a successful call is not in doubt', () => {
  expect(mayHaveSucceeded(null)).toBe(false);
});
