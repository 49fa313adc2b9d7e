import { expect, test } from '@jest/globals';
import { ApiError } from '../../api/api-error';
import { isOutcomeUnknown } from './is-outcome-unknown';

const failed = (status: number, code: string) => new ApiError(status, { type: '', code, message: '' });

test.each([
  [0, 'network'],
  [504, 'image_generation_timeout'],
  [500, 'internal_error'],
  [502, 'upstream_failed'],
])('the outcome is unknown after %p %p', (status, code) => {
  expect(isOutcomeUnknown(failed(status, code))).toBe(true);
});

test.each([
  [502, 'image_generation_failed'],
  [502, 'upstream_unavailable'],
  [502, 'video_generation_failed'],
  [429, 'rate_limited'],
  [400, 'invalid_request'],
])('nothing was generated after %p %p', (status, code) => {
  expect(isOutcomeUnknown(failed(status, code))).toBe(false);
});
