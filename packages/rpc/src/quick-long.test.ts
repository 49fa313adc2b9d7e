import { beforeAll, expect, test } from '@jest/globals';
import Long from 'long';
import protobuf from 'protobufjs';
import { loadService } from './load-service';
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

test('converts 64-bit integers to exact text', () => {
  for (const number of NUMBERS) {
    const { low, high } = Long.fromBigInt(number);
    expect(new QuickLong(low, high).toString()).toBe(String(number));
    const unsigned = BigInt.asUintN(64, number);
    expect(new QuickLong(low, high, true).toString()).toBe(String(unsigned));
    expect(new QuickLong(low, high).toString(16)).toBe(number.toString(16));
  }
});

beforeAll(() => {
  loadService('catalog');
});

test.each(['int64', 'sint64', 'sfixed64', 'uint64', 'fixed64'])('decodes %s fields as QuickLong', (kind) => {
  const { root } = protobuf.parse(`syntax = "proto3"; message M { ${kind} n = 1; }`);
  const type = root.lookupType('M');
  const asText = { longs: String, defaults: true };
  const unsigned = kind === 'uint64' || kind === 'fixed64';
  for (const signed of NUMBERS) {
    const number = unsigned ? BigInt.asUintN(64, signed) : signed;
    const read = type.decode(type.encode({ n: Long.fromBigInt(number, unsigned) }).finish());
    expect(read).toMatchObject({ n: expect.any(QuickLong) });
    expect(type.toObject(read, asText)).toEqual({ n: String(number) });
  }
  expect(type.toObject(type.decode(Buffer.of()), asText)).toEqual({ n: '0' });
});
