import { expect, test } from '@jest/globals';
import Long from 'long';
import protobuf from 'protobufjs';
import './load';
import { QuickLong } from './quick-long';

const NUMBERS = [
  0n,
  1n,
  -1n,
  2n ** 31n,
  -(2n ** 31n),
  2n ** 32n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
];

test('64-bit integers are text to the last digit', () => {
  for (const number of NUMBERS) {
    const { low, high } = Long.fromBigInt(number);
    expect(new QuickLong(low, high).toString()).toBe(String(number));
    const unsigned = BigInt.asUintN(64, number);
    expect(new QuickLong(low, high, true).toString()).toBe(String(unsigned));
    expect(new QuickLong(low, high).toString(16)).toBe(number.toString(16));
  }
});

test('messages are read with it', () => {
  const { root } = protobuf.parse('syntax = "proto3"; message M { int64 n = 1; }');
  const type = root.lookupType('M');
  for (const number of NUMBERS) {
    const read = type.decode(type.encode({ n: Long.fromBigInt(number) }).finish());
    expect(read).toMatchObject({ n: expect.any(QuickLong) });
    expect(type.toObject(read, { longs: String, defaults: true })).toEqual({ n: String(number) });
  }
});
