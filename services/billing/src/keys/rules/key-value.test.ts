import { expect, test } from '@jest/globals';
import { createKeyValue, isWellFormedKeyValue, keyValueHint, keyValueMac } from './key-value';

test('a new key value is well formed and unique', () => {
  const values = Array.from({ length: 200 }, () => createKeyValue());
  expect(values.every(isWellFormedKeyValue)).toBe(true);
  expect(new Set(values).size).toBe(200);
  expect(values[0]).toMatch(/^sk-gw-[0-9A-Za-z]{38}$/);
});

test('the checksum detects any single changed character', () => {
  const value = createKeyValue();
  for (let at = 'sk-gw-'.length; at < value.length; at++) {
    const other = value[at] === 'x' ? 'y' : 'x';
    expect(isWellFormedKeyValue(value.slice(0, at) + other + value.slice(at + 1))).toBe(false);
  }
});

test.each([
  '',
  'sk-gw-',
  'sk-gw-demo',
  'eyJhbGciOiJFUzI1NiJ9.e30.c2ln',
  ` ${createKeyValue()}`,
  `${createKeyValue()}\n`,
  createKeyValue().replace('sk-gw-', 'sk-'),
  createKeyValue().toUpperCase(),
])('rejects a malformed key value: %j', (value) => {
  expect(isWellFormedKeyValue(value)).toBe(false);
});

test('discards random bytes that would bias the distribution of characters', () => {
  let draws = 0;
  const value = createKeyValue((bytes) => {
    draws++;
    return Buffer.alloc(bytes, draws === 1 ? 255 : 61);
  });
  expect(value).toMatch(/^sk-gw-z{32}/);
});

test('the MAC depends on value and pepper; the hint is the last four characters', () => {
  const value = createKeyValue();
  expect(keyValueMac(value, 'a')).toEqual(keyValueMac(value, 'a'));
  expect(keyValueMac(value, 'a')).not.toEqual(keyValueMac(value, 'b'));
  expect(keyValueMac(value, 'a')).toHaveLength(32);
  expect(value.endsWith(keyValueHint(value))).toBe(true);
  expect(keyValueHint(value)).toHaveLength(4);
});
