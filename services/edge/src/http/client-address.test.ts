import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { readSettings } from '../settings';
import { clientAddress } from './client-address';

const required = {
  SERVICE_SECRET: 'x'.repeat(32),
  BILLING_ADDR: 'x:1',
  CHAT_ADDR: 'x:1',
  DASHBOARD_ADDR: 'x:1',
  DASHBOARD_HTTP_URL: 'http://x',
};
const trusting = (proxies: string) =>
  readSettings({ ...required, EDGE_TRUSTED_PROXIES: proxies }).EDGE_TRUSTED_PROXIES;
const isTrusted = trusting('10.0.0.0/8, 192.0.2.7, ::ffff:198.51.100.0/120, fd00::/8, 2001:db8::7');

function addressOf(peer: string, forwardedFor: string, trust = isTrusted): string {
  const request = {
    socket: { remoteAddress: peer || undefined },
    headers: { 'x-forwarded-for': forwardedFor },
  };
  return clientAddress(request as unknown as IncomingMessage, trust);
}

describe('the client address', () => {
  test.each([
    ["is the peer's when the peer is not a trusted proxy", '203.0.113.1', '6.6.6.6', '203.0.113.1'],
    ["is the peer's when the peer is outside every trusted network", '11.0.0.1', '6.6.6.6', '11.0.0.1'],
    ["is the peer's when only a neighboring address is trusted", '192.0.2.8', '6.6.6.6', '192.0.2.8'],
    ["is the proxy's when the proxy forwarded no address", '10.0.0.1', '', '10.0.0.1'],
    ['is the one that a trusted proxy appended', '10.0.0.1', '203.0.113.1', '203.0.113.1'],
    [
      'is the one that a proxy trusted by its single address appended',
      '192.0.2.7',
      '203.0.113.1',
      '203.0.113.1',
    ],
    [
      'is the last entry, whatever the client put before it',
      '10.0.0.1',
      '6.6.6.6, 10.9.9.9, 203.0.113.1',
      '203.0.113.1',
    ],
    [
      'is found behind several trusted proxies',
      '10.0.0.1',
      '6.6.6.6,203.0.113.1 ,\t10.0.0.2, fd00::1',
      '203.0.113.1',
    ],
    ['is the first entry when every hop is trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    [
      "is the proxy's when the proxy appended something that is no address",
      '10.0.0.1',
      '203.0.113.1, unknown',
      '10.0.0.1',
    ],
    [
      'is the last valid hop when the chain breaks at an invalid entry',
      '10.0.0.1',
      '203.0.113.1, _x, 10.0.0.2',
      '10.0.0.2',
    ],
    ['is the last valid hop when the first entry is empty', '10.0.0.1', ', 10.0.0.2', '10.0.0.2'],
    ['ignores empty entries', '10.0.0.1', '203.0.113.1,, 10.0.0.2', '203.0.113.1'],
    ['is written in RFC 5952 form for IPv6', '2001:db8::7', '2001:DB8:0::1', '2001:db8::1'],
    [
      'is trusted as IPv4 when the socket reports an IPv4-mapped proxy',
      '::ffff:10.0.0.1',
      '203.0.113.1',
      '203.0.113.1',
    ],
    ['is IPv4 when the proxy appended it IPv4-mapped', '10.0.0.1', '::ffff:203.0.113.1', '203.0.113.1'],
    [
      'is found behind a proxy that is listed IPv4-mapped',
      '10.0.0.1',
      '203.0.113.1, ::ffff:a00:2',
      '203.0.113.1',
    ],
    [
      'is found behind a proxy of a network configured IPv4-mapped',
      '198.51.100.1',
      '203.0.113.1',
      '203.0.113.1',
    ],
    [
      "is the peer's as IPv4 when an untrusted socket is IPv4-mapped",
      '::ffff:203.0.113.1',
      '6.6.6.6',
      '203.0.113.1',
    ],
    ['is empty when the socket is already closed', '', '6.6.6.6', ''],
  ])('%s', (_what, peer, forwardedFor, caller) => {
    expect(addressOf(peer, forwardedFor)).toBe(caller);
  });

  test("is the peer's when no proxy is trusted", () => {
    expect(addressOf('127.0.0.1', '6.6.6.6', trusting(''))).toBe('127.0.0.1');
  });
});

test.each(['x', '10.0.0', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '::/129', '10.0.0.0/8/8', '[::1]'])(
  'a setting of trusted proxies that contains %p is refused',
  (text) => {
    expect(() => trusting(`192.0.2.7, ${text}`)).toThrow('EDGE_TRUSTED_PROXIES');
  },
);

test.each(['0.0.0.0/0', '::/0'])('trusting every address (%s) is refused', (text) => {
  expect(() => trusting(text)).toThrow('EDGE_TRUSTED_PROXIES');
});
