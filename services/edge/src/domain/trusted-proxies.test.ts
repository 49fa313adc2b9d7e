import { describe, expect, test } from '@jest/globals';
import { parseIpNetwork } from './ip-network';
import { TrustedProxies } from './trusted-proxies';

const proxies = new TrustedProxies(
  ['10.0.0.0/8', '192.0.2.7', '::ffff:198.51.100.0/120', 'fd00::/8', '2001:db8::7'].map(
    (text) => parseIpNetwork(text)!,
  ),
);

describe('the caller', () => {
  test.each([
    ['is the peer, if that is no proxy', '203.0.113.1', '6.6.6.6', '203.0.113.1'],
    ['is the peer, if that is beside a network', '11.0.0.1', '6.6.6.6', '11.0.0.1'],
    ['is the peer, if that is beside an address', '192.0.2.8', '6.6.6.6', '192.0.2.8'],
    ['is the peer, if a proxy noted nobody', '10.0.0.1', '', '10.0.0.1'],
    ['is who a proxy saw', '10.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['is who the proxy of a single address saw', '192.0.2.7', '203.0.113.1', '203.0.113.1'],
    ['is the last one, whoever it says it was', '10.0.0.1', '6.6.6.6, 10.9.9.9, 203.0.113.1', '203.0.113.1'],
    ['is found behind more proxies', '10.0.0.1', '6.6.6.6,203.0.113.1 ,\t10.0.0.2, fd00::1', '203.0.113.1'],
    ['is the farthest, if all are proxies', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['is the peer, if it noted nonsense', '10.0.0.1', '203.0.113.1, unknown', '10.0.0.1'],
    ['is the last good one before nonsense', '10.0.0.1', '203.0.113.1, _x, 10.0.0.2', '10.0.0.2'],
    ['is the last good one before nothing', '10.0.0.1', ', 10.0.0.2', '10.0.0.2'],
    ['is the last good one between commas', '10.0.0.1', '203.0.113.1,, 10.0.0.2', '10.0.0.2'],
    ['may have IPv6', '2001:db8::7', '2001:DB8:0::1', '2001:db8::1'],
    ['is IPv4, though the socket has IPv6', '::ffff:10.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['is IPv4, though noted as IPv6', '10.0.0.1', '::ffff:203.0.113.1', '203.0.113.1'],
    ['is behind a proxy noted as IPv6', '10.0.0.1', '203.0.113.1, ::ffff:a00:2', '203.0.113.1'],
    ['is behind IPv4 set as IPv6', '198.51.100.1', '203.0.113.1', '203.0.113.1'],
    ['is the peer of a mapped socket that is no proxy', '::ffff:203.0.113.1', '6.6.6.6', '203.0.113.1'],
    ['has no address when the socket is gone', '', '6.6.6.6', ''],
  ])('%s', (_what, peer, forwardedFor, caller) => {
    expect(proxies.callerOf(peer, forwardedFor)).toBe(caller);
  });

  test('is looked for in so many entries and no more', () => {
    const chain = (proxyCount: number) => `203.0.113.1${', 10.0.0.2'.repeat(proxyCount)}`;
    expect(proxies.callerOf('10.0.0.1', chain(15))).toBe('203.0.113.1');
    expect(proxies.callerOf('10.0.0.1', chain(16))).toBe('10.0.0.2');
  });

  test('is the peer where no proxy is trusted', () => {
    expect(new TrustedProxies([]).callerOf('127.0.0.1', '6.6.6.6')).toBe('127.0.0.1');
  });
});

test.each(['', 'x', '10.0.0', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '::/129', '10.0.0.0/8/8', '[::1]'])(
  '%p is no network',
  (text) => {
    expect(parseIpNetwork(text)).toBeUndefined();
  },
);

test.each(['0.0.0.0/0', '::/0'])('everybody (%s) is not to be trusted', (text) => {
  expect(parseIpNetwork(text)).toBeUndefined();
});
