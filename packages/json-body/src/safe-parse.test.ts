import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { safeParse } from './safe-parse';

const schema = z.object({ model: z.string().min(1).max(9) });

test('reports an object whose length cannot be converted to a number as invalid instead of throwing', () => {
  for (const model of [{ length: { toString: 1 } }, { length: { valueOf: 1, toString: 1 } }]) {
    expect(safeParse(schema, { model })).toMatchObject({ success: false, error: { issues: [{ path: [] }] } });
  }
});

test('returns the result of the schema for all other values', () => {
  expect(safeParse(schema, { model: 'a' })).toEqual({ success: true, data: { model: 'a' } });
  expect(safeParse(schema, { model: 5 }).error?.issues[0]?.path).toEqual(['model']);
});
