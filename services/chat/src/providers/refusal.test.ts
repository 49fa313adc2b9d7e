import { expect, test } from '@jest/globals';
import { failureBy } from './refusal';

const failureOf = (status: number, error: object) => failureBy({}, { status, headers: {}, body: { error } });

test.each([
  ['an invalid key', { code: 'invalid_api_key', message: 'm' }],
  ['a failed authentication', { type: 'authentication_error', message: 'm' }],
  [
    'a key that LiteLLM cannot look up',
    { type: 'no_db_connection', message: 'No connected db.', code: '400' },
  ],
])('%s is a rejected credential, whatever the status', (_what, error) => {
  expect(failureOf(400, error)).toMatchObject({ kind: 'status', status: 401 });
});

test('any other 400 is the caller’s mistake', () => {
  const error = { type: 'invalid_request_error', code: null, message: 'max_tokens is too large' };
  expect(failureOf(400, error)).toEqual({ kind: 'status', status: 400, message: 'max_tokens is too large' });
});
