import { googleFailure, toGatewayError } from '@gateway/upstream';
import { expect, test } from '@jest/globals';
import type { ChatProvider } from '../domain/chat-provider';
import { refusedMessages } from './anthropic/refused-messages';
import { refusedConverse } from './bedrock/refused-converse';
import { refusedCompletion } from './openai/refused-completion';
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

const EXHAUSTED = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1m30s' };
const LATER = new Date(Date.now() + 90_000).toISOString();
const ANTHROPIC = { 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-tokens-reset': LATER };

test.each<[string, Pick<ChatProvider, 'refusalOf'>, Record<string, string>, object]>([
  ['OpenAI', { refusalOf: refusedCompletion }, EXHAUSTED, { error: { message: 'm', type: 'requests' } }],
  ['Mistral', { refusalOf: refusedCompletion }, EXHAUSTED, { message: 'Requests rate limit exceeded' }],
  ['Anthropic', { refusalOf: refusedMessages }, ANTHROPIC, { error: { type: 'rate_limit_error' } }],
  ['Google', { refusalOf: googleFailure }, EXHAUSTED, { error: { status: 'RESOURCE_EXHAUSTED' } }],
  ['Bedrock', { refusalOf: refusedConverse }, EXHAUSTED, { message: 'Too many requests' }],
])('a 429 of %s waits until the exhausted limit has room again', (_name, provider, headers, body) => {
  const failure = failureBy(provider, { status: 429, headers, body });
  // The later time was taken before this.
  expect([89, 90]).toContain(toGatewayError(failure).retryAfterSeconds);
});

test('the message of a rate limit is read where providers without an object of the error have it', () => {
  const body = { error: 'Please try again in 7.2s.', code: 429 };
  expect(failureBy({}, { status: 429, headers: {}, body })).toMatchObject({ retryAfterSeconds: 8 });
  expect(failureBy({}, { status: 429, headers: {}, body: { message: body.error } })).toMatchObject({
    retryAfterSeconds: 8,
  });
});
