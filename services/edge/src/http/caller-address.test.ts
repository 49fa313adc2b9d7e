import { until } from '@gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type EdgeFixture, startEdgeFixture } from '../testing/edge-fixture';
import { expectRawError } from '../testing/expect-error';
import { connectRaw, parseReply, type RawConnection, sendRaw } from '../testing/raw-client';

let trusting: EdgeFixture;
let distrusting: EdgeFixture;
beforeAll(async () => {
  const settings = { EDGE_DASHBOARD_BODY_MEMORY_BYTES: '2000000' };
  trusting = await startEdgeFixture({ ...settings, EDGE_TRUSTED_PROXIES: '127.0.0.0/8, 192.0.2.9' });
  distrusting = await startEdgeFixture({ ...settings, EDGE_TRUSTED_PROXIES: '10.0.0.0/8' });
});
afterAll(async () => {
  await trusting.stop();
  await distrusting.stop();
});

const login = (from: readonly string[], body: string, lengthBytes = body.length) =>
  `POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\n${from.map((value) => `X-Forwarded-For: ${value}\r\n`).join('')}` +
  `Connection: close\r\nContent-Length: ${lengthBytes}\r\n\r\n${body}`;

async function seenFrom({ dashboardPort }: EdgeFixture, ...from: string[]): Promise<string> {
  const { body } = parseReply(await sendRaw(dashboardPort, login(from, '{}')));
  return JSON.parse(body).headers['x-forwarded-for'];
}

describe('the client address passed to the dashboard', () => {
  test('comes from X-Forwarded-For of a trusted proxy', async () => {
    expect(await seenFrom(trusting, '203.0.113.1')).toBe('203.0.113.1');
    expect(await seenFrom(trusting, '6.6.6.6, 203.0.113.1, 192.0.2.9')).toBe('203.0.113.1');
    expect(await seenFrom(trusting, '6.6.6.6', '203.0.113.1')).toBe('203.0.113.1');
    expect(await seenFrom(trusting, '6.6.6.6, nonsense')).toBe('127.0.0.1');
    expect(await seenFrom(trusting)).toBe('127.0.0.1');
  });

  test('ignores X-Forwarded-For of a client that is not a trusted proxy', async () => {
    for (const from of ['6.6.6.6', '6.6.6.6, 10.0.0.1', '10.0.0.1', '6.6.6.6, 127.0.0.1']) {
      expect(await seenFrom(distrusting, from)).toBe('127.0.0.1');
    }
  });
});

describe('the memory budget for request bodies', () => {
  let holder: RawConnection | undefined;
  afterEach(() => {
    holder?.socket.destroy();
  });

  async function hold({ dashboardPort, bodyBytes }: EdgeFixture, from: string): Promise<void> {
    holder = connectRaw(dashboardPort);
    holder.socket.write(login([from], 'x'.repeat(999_000), 1_000_000));
    await until(async () => (await bodyBytes()) === 999_000);
  }
  const send = ({ dashboardPort }: EdgeFixture, from: string) =>
    sendRaw(dashboardPort, login([from], 'x'.repeat(90_000)));

  test('is bounded per client address behind a trusted proxy, and for IPv6 per network', async () => {
    await hold(trusting, '2001:db8::1');
    expectRawError(await send(trusting, '2001:db8::2'), 'rate_limited');
    expect(parseReply(await send(trusting, '2001:db8:0:1::1')).status).toBe(200);
  });

  test('is not extended for a client that claims other addresses', async () => {
    await hold(distrusting, '203.0.113.1');
    expectRawError(await send(distrusting, '203.0.113.2'), 'rate_limited');
  });
});
