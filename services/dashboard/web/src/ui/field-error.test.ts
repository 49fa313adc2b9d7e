import { expect, test } from '@jest/globals';
import { ApiError } from '../api/api-error';
import { fieldError } from './field-error';

const refusal = (more: { param?: string; detail?: string }) =>
  new ApiError(400, { type: 'invalid_request_error', code: 'invalid_request', message: 'Invalid.', ...more });

test('a refusal is told at the field that it is about', () => {
  expect(fieldError(refusal({ detail: 'name: too long' }), 'name')).toBe('Too long.');
  expect(fieldError(refusal({ param: 'email' }), 'email')).toBe('Invalid.');
});

test('and at no other', () => {
  expect(fieldError(refusal({ detail: 'name: too long' }), 'email')).toBeUndefined();
  expect(fieldError(refusal({ detail: 'name_of: too long' }), 'name')).toBeUndefined();
  expect(fieldError(refusal({}), 'name')).toBeUndefined();
  expect(fieldError(new Error('name: x'), 'name')).toBeUndefined();
});
