import { describe, expect, test } from '@jest/globals';
import { refusedCompletion } from './refused-completion';

const refused = (status: number, body: unknown) => refusedCompletion({ status, headers: {}, body });

describe("the gateway's own account is nothing that the caller can wait for", () => {
  test.each([
    [
      429,
      {
        error: {
          message: 'You exceeded your current quota',
          type: 'insufficient_quota',
          code: 'project_spend_limit_exceeded',
        },
      },
    ],
    [429, { error: { message: 'You exceeded your current quota', type: 'insufficient_quota', code: null } }],
    [400, { error: { message: 'x', type: 'invalid_request_error', code: 'billing_hard_limit_reached' } }],
    [429, { error: { message: 'x', type: 'exceeded_current_quota_error' } }],
    [400, { error: { message: 'x', type: 'Arrearage', code: 'Arrearage' } }],
    [
      429,
      {
        code: 'x',
        error: 'Your team 16f2 has either used all available credits or reached its monthly spending limit.',
      },
    ],
  ])('%i %j', (status, body) => {
    expect(refused(status, body)).toEqual({ kind: 'status', status: 402 });
  });
});

test('a call that the model malformed is not the fault of the caller', () =>
  expect(
    refused(400, { error: { message: 'x', type: 'invalid_request_error', code: 'tool_use_failed' } }),
  ).toEqual({ kind: 'status', status: 502 }));

test.each([
  ['xAI', { code: 'x', error: 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO' }],
  [
    'OpenRouter',
    {
      error: {
        code: 403,
        message: 'model requires moderation, and your input was flagged',
        metadata: { reasons: ['violence'], flagged_input: 'x', provider_name: 'y', model_slug: 'z' },
      },
    },
  ],
])(
  'content that the moderation of %s refuses is the caller’s mistake, not that of our credential',
  (_who, body) => {
    expect(refused(403, body)).toMatchObject({ kind: 'status', status: 400, message: expect.any(String) });
  },
);

test('any other 403 is not', () => {
  expect(refused(403, { error: { message: 'Your project has no access to this model' } })).toBeUndefined();
});

test('a wrong key of ours is rejected, whatever the status', () => {
  const error = 'Incorrect API key provided: xa***1.';
  for (const [status, body] of [
    [400, { code: 'Client specified an invalid argument', error }],
    [401, { error: { message: error, type: 'invalid_request_error', code: 'invalid_api_key' } }],
  ] as const) {
    expect(refused(status, body)).toEqual({ kind: 'status', status: 401 });
  }
});

describe('the caller receives the reason', () => {
  test.each([
    [
      'xAI',
      400,
      { code: 'x', error: 'Argument not supported on this model: stop' },
      'Argument not supported on this model: stop',
    ],
    ['Mistral', 400, { object: 'error', message: 'Unexpected role', type: 'x' }, 'Unexpected role'],
    [
      'Mistral, of a field',
      422,
      {
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'messages', 1, 'x'],
            msg: 'Extra inputs are not permitted',
            input: 'prompt',
          },
        ],
      },
      'messages.1.x: Extra inputs are not permitted',
    ],
    [
      'Mistral, of a field, as it also says it',
      422,
      {
        object: 'error',
        message: { detail: [{ loc: ['body', 'top_p'], msg: 'Input should be less than 1' }] },
      },
      'top_p: Input should be less than 1',
    ],
  ])('by %s', (_name, status, body, message) => {
    expect(refused(status, body)).toEqual({ kind: 'status', status, message });
  });

  test('but no credentials', () => {
    expect(refused(400, { error: 'The key sk-123 may not do this' })).toBeUndefined();
  });
});

describe('statuses with a common meaning are read as for every provider', () => {
  test.each([
    [
      400,
      {
        error: {
          message: 'context too long',
          type: 'invalid_request_error',
          code: 'context_length_exceeded',
        },
      },
    ],
    [400, { error: { message: 'your prompt says: your team has no credits', code: 'x' } }],
    [429, { error: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' } }],
    [429, { message: 'Requests rate limit exceeded' }],
    [500, { error: 'x' }],
    [400, undefined],
    [400, 'x'],
    [422, { detail: [] }],
  ])('%i %j', (status, body) => {
    expect(refused(status, body)).toBeUndefined();
  });
});
