import { expect, test } from '@jest/globals';
import { ApiError } from '../api/api-error';
import { fieldError } from './field-error';

const refusal = (more: { param?: string; detail?: string }) =>
  new ApiError(400, { type: 'invalid_request_error', code: 'invalid_request', message: 'Invalid.', ...more });

test('shows an error at its field', () => {
  expect(fieldError(refusal({ detail: 'name: too long' }), 'name')).toBe('Too long.');
  expect(fieldError(refusal({ param: 'email' }), 'email')).toBe('Invalid.');
});

test('shows no error at other fields', () => {
  expect(fieldError(refusal({ detail: 'name: too long' }), 'email')).toBeUndefined();
  expect(fieldError(refusal({ detail: 'name_of: too long' }), 'name')).toBeUndefined();
  expect(fieldError(refusal({}), 'name')).toBeUndefined();
  expect(fieldError(new Error('name: x'), 'name')).toBeUndefined();
});
