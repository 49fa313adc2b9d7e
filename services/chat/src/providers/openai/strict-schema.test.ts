import { expect, test } from '@jest/globals';
import { isStrictSchema, objectSchema } from './strict-schema';

const strict = {
  type: 'object',
  properties: { x: { type: 'string' } },
  required: ['x'],
  additionalProperties: false,
};

test.each<[string, Record<string, unknown>]>([
  ['its every object is', strict],
  ['there is no object', { type: 'array', items: { type: ['string', 'null'] } }],
  ['it refers to one that is', { ...strict, $defs: { d: strict } }],
])('a schema is strict when %s', (_name, schema) => {
  expect(isStrictSchema(schema)).toBe(true);
});

test.each<[string, Record<string, unknown>]>([
  ['an optional property', { ...strict, required: [] }],
  ['other properties', { ...strict, additionalProperties: true }],
  ['an inner object that is loose', { ...strict, properties: { x: { type: 'object', properties: {} } } }],
  ['a loose definition', { ...strict, $defs: { d: { type: 'object' } } }],
  ['loose items', { type: 'array', items: { type: 'object' } }],
  ['a loose alternative', { anyOf: [{ type: 'string' }, { type: 'object' }] }],
  ['an object that may be null and is loose', { type: ['object', 'null'] }],
  ['a value of any type', { ...strict, properties: { x: {} } }],
  ['a default', { ...strict, properties: { x: { type: 'string', default: '' } } }],
  ['a combination', { ...strict, properties: { x: { allOf: [strict] } } }],
  ['an unknown format', { ...strict, properties: { x: { type: 'string', format: 'uri' } } }],
])('a schema is not strict with %s', (_name, schema) => {
  expect(isStrictSchema(schema)).toBe(false);
});

test('a schema that nests endlessly is not traversed', () => {
  let schema: Record<string, unknown> = strict;
  for (let depth = 0; depth < 1_000; depth++) schema = { type: 'array', items: schema };
  expect(isStrictSchema(schema)).toBe(false);
});

test('an object is given its properties', () => {
  expect(objectSchema({ type: 'object' })).toEqual({ type: 'object', properties: {} });
  expect(objectSchema({ properties: { x: {} } })).toEqual({ type: 'object', properties: { x: {} } });
});
