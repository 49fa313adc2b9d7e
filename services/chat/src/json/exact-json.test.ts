import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { objectJson, parseExact, parseExactObject } from './exact-json';

const again = (json: string) => JSON.stringify(parseExact(json));

test.each([
  '{"id":9007199254740993}',
  '{"id":-12345678901234567890,"list":[1,18446744073709551615,{"deep":99999999999999999999999999}]}',
  '[9007199254740993,9007199254740994]',
  '{"__proto__":{"a":9007199254740993}}',
  '{"a\\\\":9007199254740993,"b\\"":":9007199254740993","c":"\\\\\\",9007199254740993"}',
])('the integers of %s keep all digits', (json) => {
  expect(again(json)).toBe(json);
});

test('white space around long integers is not kept', () => {
  expect(again(' { "a" :\n 12345678901234567890 , "b" : [ -12345678901234567890 ] } ')).toBe(
    '{"a":12345678901234567890,"b":[-12345678901234567890]}',
  );
});

test('safe integers and decimals are read as numbers', () => {
  const json =
    '{"a":9007199254740991,"b":1234567890123456,"c":0.1234567890123456789,"d":1e-1234567890123456,"e":[12345678901234567890.5,12345678901234567890e1]}';
  expect(parseExact(json)).toEqual(JSON.parse(json));
});

test('an integer of millions of digits is read as a number', () => {
  expect(parseExact(`{"a":${'9'.repeat(10_000_000)}}`)).toEqual({ a: Number.POSITIVE_INFINITY });
});

test('all other values are read as JSON.parse reads them', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, text) => {
      const json = JSON.stringify({ [text]: [text, value], long: ':1234567890123456' });
      expect(again(`{"a":12345678901234567890,"b":${json}}`)).toBe(`{"a":12345678901234567890,"b":${json}}`);
    }),
  );
});

test.each(['\uE0009007199254740993', '\\uE0009007199254740993', '\\ue000x'])(
  'a string that begins with "%s" is unchanged',
  (text) => {
    const json = `{"a":"${text}","b":12345678901234567890}`;
    expect(parseExact(json)).toEqual(JSON.parse(json));
  },
);

test.each([
  '{"id":12345678901234567890',
  '{"id":012345678901234567890}',
  '{"id":--12345678901234567890}',
  '{12345678901234567890:1}',
])('%s is refused as invalid JSON', (json) => {
  expect(() => parseExact(json)).toThrow(SyntaxError);
});

test('a long integer is not an object', () => {
  const { list } = parseExact('{"list":[12345678901234567890,{"a":12345678901234567890}]}') as {
    list: unknown[];
  };
  expect(list.map(objectJson)).toEqual(['{}', '{"a":12345678901234567890}']);
  expect([[], null, 1, '', ' null'].map(objectJson)).toEqual(Array(5).fill('{}'));
  expect(['{"a": 1}', 'a'].map(objectJson)).toEqual(['{"a": 1}', '{"INVALID_JSON":"a"}']);
});

test('parseExactObject returns objects only and keeps their digits', () => {
  expect(JSON.stringify(parseExactObject('{"id":12345678901234567890}'))).toBe('{"id":12345678901234567890}');
  for (const json of ['[{"a":1}]', 'null', '"a"', '12345678901234567890', '{"a":', '']) {
    expect(parseExactObject(json)).toBeUndefined();
  }
});
