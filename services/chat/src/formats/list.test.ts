import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { list } from './list';

/** Counts how often it is asked. */
function counted() {
  let asked = 0;
  const even = z.custom<number>((value) => {
    asked++;
    return typeof value === 'number' && value % 2 === 0;
  }, 'odd');
  return { schema: z.object({ all: list(z.looseObject({ it: even })) }), asked: () => asked };
}

const entries = (length: number, numberAt: (index: number) => number) => ({
  all: Array.from({ length }, (_, index) => ({ it: numberAt(index), more: index })),
});

test.each([0, 1, 100, 101, 250, 30_000])('%i valid entries are returned unchanged', (length) => {
  const value = entries(length, () => 2);
  expect(counted().schema.parse(value)).toEqual(value);
});

test('the first errors are reported at their index, and none after them', () => {
  const { schema } = counted();
  const value = entries(1_000, (index) => ([410, 499, 500, 730].includes(index) ? 1 : 2));
  expect(schema.safeParse(value).error?.issues).toMatchObject([
    { path: ['all', 410, 'it'], message: 'odd' },
    { path: ['all', 499, 'it'], message: 'odd' },
  ]);
});

test('an error among the last entries is found', () => {
  const value = entries(250, (index) => (index === 249 ? 1 : 2));
  expect(counted().schema.safeParse(value).error?.issues).toMatchObject([{ path: ['all', 249, 'it'] }]);
});

test('of very many invalid entries only the first few are validated', () => {
  const { schema, asked } = counted();
  const { error } = schema.safeParse(entries(30_000, () => 1));
  expect(error?.issues).toHaveLength(100);
  expect(asked()).toBe(200);
});

test('a value that is not a list is reported as such', () => {
  expect(counted().schema.safeParse({ all: 'x' }).error?.issues).toMatchObject([
    { path: ['all'], message: 'Invalid input: expected array, received string' },
  ]);
});
