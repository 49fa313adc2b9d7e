import { expect, test } from '@jest/globals';
import { statusOfErrorEvent } from './error-event-status';

test.each([
  [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 529],
  [{ type: 'error', error: { type: 'rate_limit_error', message: 'x' } }, 429],
  [{ error: { message: 'x', type: 'tokens', code: 'rate_limit_exceeded' } }, 429],
  [{ error: { message: 'x', type: 'invalid_request_error', code: 'context_length_exceeded' } }, 400],
  [{ error: { message: 'x', type: 'invalid_request_error', code: 'invalid_api_key' } }, 401],
  [{ error: { code: 503, message: 'x', status: 'UNAVAILABLE' } }, 503],
  [{ error: { message: 'x', status: 'RESOURCE_EXHAUSTED' } }, 429],
  [{ error: { message: 'x', code: '422' } }, 422],
  [{ error: { message: 'x', type: null, param: 'prompt', code: 'content_filter' } }, 400],
  [{ object: 'error', message: 'x', code: 400 }, 400],
  [{ error: { message: 'x', type: 'invalid_request_error', code: 'tool_use_failed' } }, 502],
])('%j corresponds to a response with status %i', (data, status) => {
  expect(statusOfErrorEvent(data)).toBe(status);
});

test.each([
  {},
  { error: 'x' },
  { error: { type: 'x', code: 'y' } },
  { error: { code: 200, status: 0 } },
  { code: null },
])('%j has no corresponding status', (data) => expect(statusOfErrorEvent(data)).toBeUndefined());
