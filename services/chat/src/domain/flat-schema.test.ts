import { expect, test } from '@jest/globals';
import { flatSchema } from './flat-schema';

const text = { type: 'string' };
const number = { type: 'number' };
const object = (properties: object, ...required: string[]) => ({ type: 'object', properties, required });

test.each([
  [
    'anyOf',
    { anyOf: [object({ kind: text, a: text }, 'kind', 'a'), object({ kind: text, b: text }, 'kind')] },
    object({ kind: text, a: text, b: text }, 'kind'),
  ],
  [
    'oneOf',
    { type: 'object', description: 'd', oneOf: [object({ a: text }, 'a'), object({ a: number }, 'a')] },
    { ...object({ a: { anyOf: [text, number] } }, 'a'), description: 'd' },
  ],
  [
    'allOf',
    { ...object({ a: text }, 'a'), allOf: [object({ b: text }, 'b'), { properties: { c: text } }] },
    object({ a: text, b: text, c: text }, 'a', 'b'),
  ],
  [
    'references',
    { $defs: { A: object({ a: text }, 'a') }, anyOf: [{ $ref: '#/$defs/A' }] },
    { $defs: { A: object({ a: text }, 'a') }, ...object({ a: text }, 'a') },
  ],
  [
    'requirements alone',
    { ...object({ a: text, b: text }), anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    { type: 'object', properties: { a: text, b: text }, required: [] },
  ],
  ['not and enum', { ...object({ a: text }, 'a'), not: {}, enum: [{}] }, object({ a: text }, 'a')],
])('a root with %s becomes one object', (_, schema, flat) => expect(flatSchema(schema)).toEqual(flat));

test('alternatives below the root stay', () => {
  const schema = object({ a: { anyOf: [text, number] } });
  expect(flatSchema(schema)).toBe(schema);
});
