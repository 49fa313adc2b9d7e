import { expect, test } from '@jest/globals';
import { instanceOf } from './schema-instance';

const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, required: ['next'] };

test.each<[string, unknown, unknown]>([
  ['a string', { type: 'string' }, 'text'],
  ['a long string', { type: 'string', minLength: 6 }, 'text..'],
  ['a short string', { type: 'string', maxLength: 2 }, 'te'],
  ['a date', { type: 'string', format: 'date' }, '2026-01-01'],
  ['a choice', { enum: ['b', 'a'] }, 'b'],
  ['a constant', { const: null }, null],
  ['an integer', { type: 'integer' }, 0],
  ['an integer from 5 on', { type: 'integer', minimum: 4.5 }, 5],
  ['an integer above 5', { type: 'integer', exclusiveMinimum: 5 }, 6],
  ['an integer up to -3', { type: 'integer', maximum: -3 }, -3],
  ['a number above 0 and up to 1', { type: 'number', exclusiveMinimum: 0, maximum: 1 }, 0.5],
  ['a number below 0', { type: 'number', exclusiveMaximum: 0 }, -1],
  ['a multiple', { type: 'integer', minimum: 4, multipleOf: 3 }, 6],
  ['a nullable type', { type: ['null', 'boolean'] }, false],
  ['anyOf with null', { anyOf: [{ type: 'null' }, { type: 'boolean' }] }, false],
  ['allOf', { allOf: [{ properties: { a: { type: 'integer' } } }, { required: ['a'] }] }, { a: 0 }],
  ['an object', { properties: { a: { type: 'integer' }, b: {} }, required: ['a'] }, { a: 0 }],
  ['a list', { type: 'array', items: { type: 'boolean' }, minItems: 2 }, [false, false]],
  [
    'a list with prefixItems',
    { type: 'array', prefixItems: [{ const: 1 }], items: { const: 2 }, minItems: 2 },
    [1, 2],
  ],
  [
    "Gemini's types",
    {
      type: 'OBJECT',
      properties: { a: { type: 'ARRAY', items: { type: 'STRING' }, minItems: '1' } },
      required: ['a'],
    },
    { a: ['text'] },
  ],
  ['a reference', { $ref: '#/$defs/x', $defs: { x: { type: 'boolean' } } }, false],
  ['a reference to nothing', { $ref: '#/$defs/x' }, null],
  ['a value that is not a schema', 'x', null],
])('%s', (_, schema, instance) => {
  expect(instanceOf(schema)).toEqual(instance);
});

test.each<[string, unknown, unknown]>([
  ['names that are not strings', { type: 'object', required: [{ toString: 1 }, 7, 'a'] }, { a: 'text' }],
  ['a type that is not a string', { anyOf: [{ type: { toString: 1 } }] }, 'text'],
  ['a format that is not a string', { type: 'string', format: { toString: 1 } }, 'text'],
  ['a format named like a member of Object', { type: 'string', format: 'constructor' }, 'text'],
  ['lists that are not arrays', { allOf: [{ required: 7, properties: [] }, { type: 'object' }] }, {}],
])('malformed keywords are ignored: %s', (_, schema, instance) => {
  expect(instanceOf(schema)).toEqual(instance);
});

test('the length of a string is bounded', () => {
  expect(instanceOf({ type: 'string', minLength: 1e308 })).toHaveLength(10_000);
});

test("the size of a recursive schema's instance is bounded", () => {
  expect(JSON.stringify(instanceOf({ ...node, $defs: { node } }))).toMatch(/null\}+$/);
  const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
  const wide = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: '#' }])),
    required: names,
  };
  expect(JSON.stringify(instanceOf(wide)).length).toBeLessThan(200_000);
});
