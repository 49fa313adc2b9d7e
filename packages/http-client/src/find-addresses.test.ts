import { expect, test } from '@jest/globals';
import { addressesIn, findAddresses } from './find-addresses';

test('addresses of the hosts file are found by each of the names of their line, in any case', () => {
  const file = '# 10.0.0.1 db.example\n10.0.0.2\tDB.example db # inner\n::1 db.example\n';
  expect(addressesIn(file, 'db.example')).toEqual(['10.0.0.2', '::1']);
  expect(addressesIn(file, 'db')).toEqual(['10.0.0.2']);
  expect(addressesIn(file, 'inner')).toEqual([]);
});

test('a host of the hosts file is found without DNS, and an unknown one has no addresses', async () => {
  expect(await findAddresses('localhost')).toContain('127.0.0.1');
  expect(await findAddresses('unknown.invalid')).toEqual([]);
});
