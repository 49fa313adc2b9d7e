import { describe, expect, test } from '@jest/globals';
import { canonicalAddress, clientNetwork } from './ip-address';

describe('canonicalAddress', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['0:0:0:0:0:FFFF:c000:201', '192.0.2.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    [`fe80::1%${'x'.repeat(10_000)}`, 'fe80::1'],
    ['', undefined],
    ['192.0.2.1:80', undefined],
    ['[2001:db8::1]', undefined],
    ['192.0.2.01', undefined],
    ['unknown', undefined],
  ])('of %.40s is %s', (text, address) => {
    expect(canonicalAddress(text)).toBe(address);
  });
});

describe('clientNetwork', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::192.0.2.1', '0:0:0:0::/64'],
    ['no address', 'no address'],
  ])('of %s is %s', (text, network) => {
    expect(clientNetwork(text)).toBe(network);
  });
});
