import { expect, test } from '@jest/globals';
import { refuseExcess } from './refuse-excess';

const bounds = { maxValues: 5_000, maxKeys: 1_000 };
const look = (...values: unknown[]) =>
  refuseExcess(
    values.map((value) => Buffer.from(JSON.stringify(value))),
    bounds,
    'it',
  );
const objects = (count: number, keyOf: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => ({ [keyOf(index)]: 'a:"b",{' }));
const refused = (detail: string) => expect.objectContaining({ code: 'invalid_request', detail });

test('objects of a few keys are so many as there may be values', () => {
  expect(() => look(objects(2_400, (index) => `key ${index % 1_000}`))).not.toThrow();
  expect(() => look(objects(2_600, () => 'key'))).toThrow(refused('too many values in it'));
});

test('objects of ever other keys are refused, wherever they are', () => {
  const other = (index: number) => `a long key that differs at its end ${index}`;
  const one = Object.assign({}, ...objects(1_001, other));
  for (const value of [objects(1_001, other), one, { a: [[one]] }]) {
    expect(() => look(value)).toThrow(refused('too many different keys in it'));
  }
});

test('several texts count together', () => {
  const half = objects(600, (index) => `a${index}`);
  expect(() => look(half, half)).not.toThrow();
  expect(() =>
    look(
      half,
      objects(600, (index) => `b${index}`),
    ),
  ).toThrow(refused('too many different keys in it'));
  expect(() => look(Array(3_000).fill(1), Array(3_000).fill(1))).toThrow(refused('too many values in it'));
});

test('one that ends within a string hides nothing of the next', () => {
  const texts = ['{"a', `[${'1,'.repeat(6_000)}1]`].map((text) => Buffer.from(text));
  expect(() => refuseExcess(texts, bounds, 'it')).toThrow(refused('too many values in it'));
});
