import { GatewayError } from '@gateway/errors';
import { createLogger } from '@gateway/process';
import type { AccessLogEntry } from '@gateway/proto/generated/gateway/billing/v1/AccessLogEntry';
import { afterEach, expect, jest, test } from '@jest/globals';
import type { Exchange } from '../http/exchange';
import { AccessLog } from './access-log';

const log = createLogger('test', 'silent');

afterEach(() => {
  jest.useRealTimers();
});

function exchange(more: Partial<Exchange> = {}, statusCode = 200): Exchange {
  return {
    requestId: 'request-1',
    caller: { accountId: 'account-1', keyId: 'key-1' },
    isRecorded: false,
    request: { method: 'GET' },
    response: { headersSent: true, statusCode },
    path: '/v1/models',
    clientAddress: '192.0.2.1',
    errorCode: '',
    startedMs: performance.now() - 5,
    ...more,
  } as Exchange;
}

function accessLog(send = async (_entries: readonly AccessLogEntry[]): Promise<unknown> => undefined) {
  jest.useFakeTimers({ doNotFake: ['performance'] });
  const sent: AccessLogEntry[] = [];
  let nowMs = 10_000;
  const access = new AccessLog({
    send: async (entries) => {
      await send(entries);
      sent.push(...entries);
    },
    log,
    nowMs: () => nowMs,
  });
  const advance = (ms: number) => {
    nowMs += ms;
  };
  return { access, sent, advance };
}

test('logs answers that are recorded nowhere else, and all failed ones', async () => {
  const { access, sent } = accessLog();
  access.add(exchange());
  access.add(exchange({ requestId: 'request-2', caller: { userId: 'user-1' }, path: '/api/v1/keys' }, 404));
  access.add(exchange({ requestId: 'paid', isRecorded: true }));
  access.add(exchange({ requestId: 'refused', isRecorded: true, errorCode: 'rpm_rate_limited' }, 429));
  access.add(exchange({ requestId: 'anonymous', caller: undefined }, 401));
  access.add(exchange({ requestId: 'page', caller: undefined, path: '/login' }, 302));
  const unanswered = { headersSent: false } as Exchange['response'];
  access.add(exchange({ requestId: 'unanswered', caller: undefined, response: unanswered }));
  const error = new GatewayError('invalid_request');
  access.addUnparsable({ requestId: 'no-http', clientAddress: '192.0.2.1', error });
  await access.close();
  expect(sent).toMatchObject([
    { requestId: 'request-1', accountId: 'account-1', keyId: 'key-1', method: 'GET', status: 200 },
    { requestId: 'request-2', userId: 'user-1', path: '/api/v1/keys', status: 404, endedAtMs: '10000' },
    { requestId: 'refused', status: 429, errorCode: 'rpm_rate_limited' },
    { requestId: 'anonymous', status: 401 },
    { requestId: 'no-http', status: 400, errorCode: 'invalid_request', startedAtMs: '10000' },
  ]);
  expect(access.dropped).toBe(0);
});

test.each([
  ['/v1/videos/files/aGVsbG8.c2lnbmVk', '/v1/videos/files/…'],
  ['/api/v1/playground/videos/files/aGVsbG8.c2lnbmVk', '/api/v1/playground/videos/files/…'],
  ['/v1/models/sk-gw-secret_1-x/chat', '/v1/models/…/chat'],
])('logs the path %s without its secret', async (path, logged) => {
  const { access, sent } = accessLog();
  access.add(exchange({ caller: undefined, path }, 404));
  await access.close();
  expect(sent).toMatchObject([{ path: logged }]);
});

test('drops the entries of clients without credentials above 1,200 per minute, but none of callers', async () => {
  const { access, sent, advance } = accessLog();
  const anonymous = (clientAddress: string) =>
    access.add(exchange({ requestId: clientAddress, caller: undefined, clientAddress }, 404));
  for (let i = 0; i < 700; i++) anonymous('192.0.2.1');
  for (let i = 0; i < 700; i++) anonymous(`198.51.${i >> 8}.${i & 255}`);
  access.add(exchange({ requestId: 'caller' }));
  await jest.advanceTimersByTimeAsync(1_000);
  expect(sent.filter(({ requestId }) => requestId === '192.0.2.1')).toHaveLength(600);
  expect(sent).toHaveLength(1_201);
  expect(sent.at(-1)).toMatchObject({ requestId: 'caller' });
  expect(access.dropped).toBe(200);
  advance(60_000);
  anonymous('192.0.2.1');
  await access.close();
  expect(sent).toHaveLength(1_202);
});

test('drops the entries of a caller above the rate limit without affecting other callers', async () => {
  const { access, sent, advance } = accessLog();
  for (let i = 0; i < 150; i++) access.add(exchange({ requestId: `flood-${i}` }));
  access.add(exchange({ requestId: 'other', caller: { userId: 'user-1' } }));
  await jest.advanceTimersByTimeAsync(500);
  expect(sent).toHaveLength(101);
  expect(sent.at(-1)).toMatchObject({ requestId: 'other' });
  expect(access.dropped).toBe(50);
  advance(500);
  access.add(exchange({ requestId: 'later' }));
  await access.close();
  expect(sent.at(-1)).toMatchObject({ requestId: 'later' });
});

test('retries sending entries until billing accepts them', async () => {
  let isBillingDown = true;
  const { access, sent } = accessLog(async () => {
    if (isBillingDown) throw new Error('down');
  });
  access.add(exchange());
  await jest.advanceTimersByTimeAsync(1_500);
  expect(sent).toEqual([]);
  isBillingDown = false;
  await jest.advanceTimersByTimeAsync(500);
  expect(sent).toHaveLength(1);
  await access.close();
  expect(sent).toHaveLength(1);
});
