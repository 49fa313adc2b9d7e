import { describe, expect, test } from '@jest/globals';
import { fitSchema } from './fit-schema';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const closed = (properties: object, more: object = {}) =>
  object(properties, { additionalProperties: false, ...more });

describe('schemas that can be fitted', () => {
  test.each<[string, object, object]>([
    ['objects are closed, at every depth', object({ a: object({}) }), closed({ a: closed({}) })],
    [
      'what is required stays',
      object({ a: { type: 'string' } }, { required: ['a'], title: 'T', description: 'D' }),
      closed({ a: { type: 'string' } }, { required: ['a'], title: 'T', description: 'D' }),
    ],
    [
      'bounds are told in words',
      { type: 'string', description: 'D', minLength: 2, pattern: '^a' },
      { type: 'string', description: 'D\nminLength: 2, pattern: "^a"' },
    ],
    ['formats that are known', { type: 'string', format: 'uuid' }, { type: 'string', format: 'uuid' }],
    [
      'others are told',
      { type: 'string', format: 'isbn' },
      { type: 'string', description: 'format: "isbn"' },
    ],
    [
      'lists',
      { type: 'array', minItems: 1, items: { type: 'null' } },
      { type: 'array', minItems: 1, items: { type: 'null' } },
    ],
    [
      'longer lists',
      { type: 'array', minItems: 3, items: { type: 'null' } },
      { type: 'array', items: { type: 'null' }, description: 'minItems: 3' },
    ],
    ['literals say their type', { type: 'string', enum: ['a', null] }, { enum: ['a', null] }],
    ['constants', { const: 1 }, { const: 1 }],
    ['one of is any of', { oneOf: [{ type: 'null' }] }, { anyOf: [{ type: 'null' }] }],
    [
      'types in a list',
      { type: ['object', 'null'] },
      { type: ['object', 'null'], properties: {}, additionalProperties: false },
    ],
    ['the quirks is dropped', { $schema: 'x', type: 'null' }, { type: 'null' }],
    [
      'definitions',
      { $defs: { a: object({}) }, $ref: '#/$defs/a' },
      { $defs: { a: closed({}) }, $ref: '#/$defs/a' },
    ],
  ])('%s', (_, schema, expected) => expect(fitSchema({ ...schema })).toEqual(expected));
});

describe('schemas that cannot be fitted', () => {
  let deep: object = { type: 'null' };
  for (let depth = 0; depth < 10_000; depth++) deep = { type: 'array', items: deep };

  test.each<[string, object]>([
    ['an open object', object({}, { additionalProperties: true })],
    ['a map', object({}, { additionalProperties: { type: 'string' } })],
    ['anything', object({ a: {} })],
    ['a list of anything', { type: 'array' }],
    ['a condition', { type: 'string', not: { const: 'a' } }],
    ['literals that are not simple', { enum: [{ a: 1 }] }],
    ['itself', object({ a: { $ref: '#' } })],
    ['a schema elsewhere', { $ref: 'https://a.example/schema' }],
    [
      'recursion',
      {
        $defs: {
          a: object({ b: { $ref: '#/$defs/b' } }),
          b: { type: 'array', items: { $ref: '#/$defs/a' } },
        },
        $ref: '#/$defs/a',
      },
    ],
    ['what is made to be deep', deep],
    ['variants that are none', { anyOf: 'x' }],
  ])('%s', (_, schema) => expect(fitSchema({ ...schema })).toBeUndefined());

  test('a format that is not a string is omitted', () => {
    expect(fitSchema({ type: 'string', format: { toString: 1 } })).toEqual({ type: 'string' });
  });

  test('a definition with many references is not recursive', () => {
    const both = {
      $defs: { a: { type: 'null' }, b: object({ x: { $ref: '#/$defs/a' }, y: { $ref: '#/$defs/a' } }) },
    };
    expect(fitSchema({ ...both, $ref: '#/$defs/b' })).toBeDefined();
  });

  test('definitions that reference each other endlessly, or in a long chain, are cheap to process', () => {
    const chain = (length: number, uses: number) =>
      Object.fromEntries(
        Array.from({ length }, (_, i) => [
          `d${i}`,
          i + 1 < length
            ? { anyOf: Array.from({ length: uses }, () => ({ $ref: `#/$defs/d${i + 1}` })) }
            : { type: 'null' },
        ]),
      );
    expect(fitSchema({ $defs: chain(40, 2), type: 'null' })).toBeDefined();
    expect(fitSchema({ $defs: chain(20_000, 1), type: 'null' })).toBeUndefined();
  });
});
