import { toGatewayError } from '@gateway/upstream';
import { expect, test } from '@jest/globals';
import { refusedMessages } from './refused-messages';

const refused = (status: number, error: object) =>
  refusedMessages({ status, headers: {}, body: { type: 'error', error, request_id: 'req_1' } });
const coded = (error_code: string) => ({
  type: 'invalid_request_error',
  message: 'No.',
  details: { error_code },
});

test.each([
  [
    'no credit left',
    400,
    {
      type: 'invalid_request_error',
      message: 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.',
    },
  ],
  [
    'a limit of our own',
    400,
    { type: 'invalid_request_error', message: 'You have reached your specified API usage limits.' },
  ],
  [
    'an organization that is disabled',
    400,
    { type: 'invalid_request_error', message: 'This organization has been disabled.' },
  ],
  ['an account on hold', 400, coded('organization_on_hold')],
  ['a spend limit', 429, coded('enforced_spend_limit_reached')],
])("%s concerns the gateway's own account and is not passed to the caller", (_, status, error) => {
  const failure = refused(status, error);
  expect(failure && toGatewayError(failure)).toMatchObject({
    code: 'upstream_unavailable',
    detail: undefined,
  });
});

test.each([
  ['a bad parameter', 400, { type: 'invalid_request_error', message: 'max_tokens: too large' }],
  [
    'a refusal that quotes the call',
    400,
    {
      type: 'invalid_request_error',
      message: 'Unexpected value(s) `your credit balance is` for the `anthropic-beta` header.',
    },
  ],
  ['too many calls', 429, { type: 'rate_limit_error', message: 'Too many tokens' }],
  ['too fast a ramp', 429, coded('ramp_limit_exceeded')],
  ['a bad key', 401, { type: 'authentication_error', message: 'invalid x-api-key' }],
  ['no such model', 404, { type: 'not_found_error', message: 'model: claude-x' }],
  ['too large', 413, { type: 'request_too_large', message: 'Request exceeds the maximum size' }],
  ['overloaded', 529, { type: 'overloaded_error', message: 'Overloaded' }],
])('%s has the same meaning as at every provider', (_, status, error) =>
  expect(refused(status, error)).toBeUndefined(),
);

test('a body that is not an error', () => {
  for (const body of [undefined, null, 'x', { error: 'x' }]) {
    expect(refusedMessages({ status: 400, headers: {}, body })).toBeUndefined();
  }
});
