import { expect, test } from '@jest/globals';
import { refuseExcess } from './refuse-excess';

const bounds = { maxValues: 5_000, maxKeys: 1_000 };
const check = (...values: unknown[]) =>
  refuseExcess(
    values.map((value) => Buffer.from(JSON.stringify(value))),
    bounds,
    'it',
  );
const objects = (count: number, keyOf: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => ({ [keyOf(index)]: 'a:"b",{' }));
const refusal = (detail: string) => expect.objectContaining({ code: 'invalid_request', detail });

test('accepts objects with few distinct keys up to the limit of values', () => {
  expect(() => check(objects(2_400, (index) => `key ${index % 1_000}`))).not.toThrow();
  expect(() => check(objects(2_600, () => 'key'))).toThrow(refusal('too many values in it'));
});

test('refuses more distinct keys than the limit, in one object or many, at any depth', () => {
  const distinctKey = (index: number) => `a long key that differs at its end ${index}`;
  const wideObject = Object.assign({}, ...objects(1_001, distinctKey));
  for (const value of [objects(1_001, distinctKey), wideObject, { a: [[wideObject]] }]) {
    expect(() => check(value)).toThrow(refusal('too many different keys in it'));
  }
});

test('applies the limits to several texts together', () => {
  const half = objects(600, (index) => `a${index}`);
  expect(() => check(half, half)).not.toThrow();
  expect(() =>
    check(
      half,
      objects(600, (index) => `b${index}`),
    ),
  ).toThrow(refusal('too many different keys in it'));
  expect(() => check(Array(3_000).fill(1), Array(3_000).fill(1))).toThrow(refusal('too many values in it'));
});

test('counts the values of a text that follows one with an unterminated string', () => {
  const texts = ['{"a', `[${'1,'.repeat(6_000)}1]`].map((text) => Buffer.from(text));
  expect(() => refuseExcess(texts, bounds, 'it')).toThrow(refusal('too many values in it'));
});
