import { UpstreamError } from '@gateway/upstream';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Answer, CloudServer } from '../cloud-server.fixture';
import { requestToken, toAccessToken } from './request-token';

let server: CloudServer;
beforeEach(async () => {
  server = await new CloudServer().start();
});
afterEach(() => server.close());

const SECRET = 'client-secret-value';
const request = (answer: Answer) => {
  server.answers('/token', answer);
  return requestToken(`${server.url}/token`, new URLSearchParams({ client_secret: SECRET }));
};
const failureOf = async (answer: Answer) => {
  const error: unknown = await request(answer).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UpstreamError);
  return (error as UpstreamError).failure;
};

test('sends the form and returns the reply', async () => {
  expect(await request({ body: { access_token: 't', expires_in: 3599 } })).toEqual({
    access_token: 't',
    expires_in: 3599,
  });
  expect(server.received).toMatchObject([
    {
      method: 'POST',
      headers: { 'content-type': expect.stringMatching(/^application\/x-www-form-urlencoded/) },
      body: `client_secret=${SECRET}`,
    },
  ]);
});

test.each([400, 401, 403])(
  'status %i means that the credential is rejected, for the reason given',
  async (status) => {
    const body = {
      error: 'invalid_client',
      error_description: 'AADSTS7000215: Invalid client secret provided.',
    };
    expect(await failureOf({ status, body })).toEqual({
      kind: 'status',
      status: 401,
      message: 'token endpoint: invalid_client: AADSTS7000215: Invalid client secret provided.',
    });
  },
);

test('a rejection without a reason names its status', async () => {
  expect(await failureOf({ status: 401, body: '<html>' })).toMatchObject({
    message: 'token endpoint: status 401',
  });
});

test('a rate limit of the endpoint is one of the call, with its wait', async () => {
  expect(await failureOf({ status: 429, headers: { 'retry-after': '7' }, body: {} })).toEqual({
    kind: 'status',
    status: 429,
    retryAfterSeconds: 7,
  });
});

test.each<[string, Answer]>([
  ['fails', { status: 503, body: {} }],
  ['redirects', { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: {} }],
  ['sends too much', { body: `"${'x'.repeat(70_000)}"` }],
])('an endpoint that %s makes the provider unreachable, and is not asked again', async (_what, answer) => {
  expect(await failureOf(answer)).toMatchObject({ kind: 'unreachable' });
  expect(server.received).toHaveLength(1);
});

test('an endpoint that cannot be reached makes the provider unreachable, for the reason of the network', async () => {
  const url = `${server.url}/token`;
  server.close();
  const error = await requestToken(url, new URLSearchParams()).catch((thrown) => thrown);
  expect(error.failure).toMatchObject({ kind: 'unreachable', cause: { code: 'ECONNREFUSED' } });
});

test.each<[unknown, number]>([
  [undefined, 3_600],
  ['', 3_600],
  ['line\r\nbreak', 3_600],
  ['token', 0],
  ['token', Number.NaN],
])('%j with a lifetime of %d seconds is not a token', (token, seconds) => {
  expect(() => toAccessToken(token, seconds)).toThrow(UpstreamError);
});

test('a lifetime is at most a week', () => {
  expect(toAccessToken('token', 1e12)).toEqual({ value: 'token', lifetimeMs: 7 * 86_400_000 });
});
