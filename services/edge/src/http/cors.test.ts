import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type EdgeFixture, KEY, startEdgeFixture } from '../testing/edge-fixture';
import { expectFetchError } from '../testing/expect-error';

const PAGE = 'https://app.example.com';
const PREFLIGHT = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization, content-type, x-stainless-os',
};
const GOOD = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };

let closed: EdgeFixture;
let open: EdgeFixture;
let any: EdgeFixture;
beforeAll(async () => {
  closed = await startEdgeFixture();
  open = await startEdgeFixture({ EDGE_CORS_ORIGINS: `${PAGE}, http://localhost:3000` });
  any = await startEdgeFixture({ EDGE_CORS_ORIGINS: '*' });
});
afterAll(() => Promise.all([closed, open, any].map((fixture) => fixture?.stop())));

const preflight = (url: string, origin = PAGE) =>
  fetch(url, { method: 'OPTIONS', headers: { origin, ...PREFLIGHT } });
const headersOf = (reply: Response) =>
  Object.fromEntries(
    [...reply.headers].filter(([name]) => name.startsWith('access-control') || name === 'vary'),
  );

test('without allowed origins, a preflight is not_found and no response permits anything', async () => {
  const refused = await preflight(`${closed.apiUrl}/v1/models`);
  expect(headersOf(refused)).toEqual({});
  await expectFetchError(refused, 'not_found');
  const reply = await fetch(`${closed.apiUrl}/v1/models`, { headers: { ...GOOD, origin: PAGE } });
  expect(reply.status).toBe(200);
  expect(headersOf(reply)).toEqual({});
});

test('a preflight of an allowed origin permits the methods of the API and the headers that are asked for', async () => {
  for (const origin of [PAGE, 'http://localhost:3000']) {
    const reply = await preflight(`${open.apiUrl}/v1/chat/completions`, origin);
    expect(reply.status).toBe(204);
    expect(reply.headers.get('x-request-id')).toBeTruthy();
    expect(headersOf(reply)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'authorization, content-type, x-stainless-os',
      'access-control-max-age': '7200',
      vary: 'Origin',
    });
  }
});

test('a page of an allowed origin reads replies, errors and their headers', async () => {
  const exposed = expect.stringMatching(
    /X-Request-Id.*Retry-After.*X-Gateway-Dropped-Tools.*x-ratelimit-remaining-tokens/,
  );
  const permitted = {
    'access-control-allow-origin': PAGE,
    'access-control-expose-headers': exposed,
    vary: 'Origin',
  };
  const call = (headers: Record<string, string>) =>
    fetch(`${open.apiUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { origin: PAGE, 'content-type': 'application/json', ...headers },
      body: '{}',
    });
  const reply = await call(GOOD);
  expect(reply.status).toBe(200);
  expect(headersOf(reply)).toEqual(permitted);
  const refused = await call({});
  expect(headersOf(refused)).toEqual(permitted);
  await expectFetchError(refused, 'invalid_api_key');
});

test('other origins, requests without an origin, and the dashboard get no permission', async () => {
  const other = await preflight(`${open.apiUrl}/v1/models`, 'https://app.example.com.evil.test');
  expect(headersOf(other)).toEqual({ vary: 'Origin' });
  await expectFetchError(other, 'not_found');
  const server = await fetch(`${open.apiUrl}/v1/models`, { headers: GOOD });
  expect(headersOf(server)).toEqual({ vary: 'Origin' });
  expect(headersOf(await preflight(`${open.dashboardUrl}/api/v1/models`))).toEqual({});
  const noPreflight = await fetch(`${open.apiUrl}/v1/models`, {
    method: 'OPTIONS',
    headers: { origin: PAGE },
  });
  await expectFetchError(noPreflight, 'not_found');
});

test('an asterisk allows every origin', async () => {
  expect(headersOf(await preflight(`${any.apiUrl}/v1/models`, 'null'))).toMatchObject({
    'access-control-allow-origin': '*',
  });
});
