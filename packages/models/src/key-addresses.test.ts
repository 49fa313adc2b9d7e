import { describe, expect, test } from '@jest/globals';
import { allowsAddress, isAddressRange } from './key-addresses';

describe('isAddressRange', () => {
  test.each(['192.0.2.1', '10.0.0.0/8', '0.0.0.0/0', '2001:db8::1', '2001:db8::/32', '::/0', '10.1.2.3/32'])(
    'accepts %s',
    (text) => expect(isAddressRange(text)).toBe(true),
  );
  test.each([
    '',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '10.0.0.0/-1',
    '2001:db8::/129',
    'fe80::1%eth0',
    '::ffff:10.0.0.0/104',
    'example.com',
    ' 10.0.0.1',
    '010.0.0.1',
  ])('refuses %j', (text) => expect(isAddressRange(text)).toBe(false));
});

describe('allowsAddress', () => {
  const key = { allowedIps: ['192.0.2.1', '10.1.2.3/16', '2001:db8:1::/48'] };

  test('a key without ranges may be used from every address', () => {
    expect(allowsAddress({}, '203.0.113.9')).toBe(true);
    expect(allowsAddress({ allowedIps: [] }, '')).toBe(true);
  });

  test.each(['192.0.2.1', '10.1.0.0', '10.1.255.255', '2001:db8:1::', '2001:db8:1:ffff::9'])(
    'allows %s',
    (address) => expect(allowsAddress(key, address)).toBe(true),
  );

  test.each(['192.0.2.2', '10.2.0.0', '2001:db8:2::1', '', 'no address', '::1'])('refuses %j', (address) =>
    expect(allowsAddress(key, address)).toBe(false),
  );
});
