import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseJsonObject } from './parse-json-object';

const parse = (json: string) => parseJsonObject(Buffer.from(json)).value;

test.each([
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":1}',
  '{"tools":[{"type":"web_search_20250305","type":"custom","name":"a"}]}',
  '{"a":{"b":[[{"c":{},"c":{}}]]}}',
  '{"a":{"__proto__":1,"__proto__":2}}',
])('%s repeats a key, of which others might read the other', (json) => {
  expect(() => parse(json)).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail: 'the body has a repeated key' }),
  );
});

test('what holds colons and braces in its texts repeats nothing', () => {
  const json = '{"a":{"b:\\"{c":"d:{\\"e\\":1}","__proto__":[1,null,"x:y"]},"f":[],"g":{}}';
  expect(JSON.stringify(parse(json))).toBe(json);
});

test('no object that was written by a program repeats a key', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      expect(() => parse(JSON.stringify(value))).not.toThrow();
    }),
  );
});

test.each([
  ['objects', '{},', '{}'],
  ['numbers', '1,', '1'],
  ['lists in lists', '[[]],', '[]'],
])('many %s are refused before they are parsed', (_, value, last) => {
  const holding = (count: number) =>
    `{"text":"${'{[,'.repeat(500_000)}","list":[${value.repeat(count)}${last}]}`;
  expect(() => parse(holding(60_000))).not.toThrow();
  expect(() => parse(holding(500_000))).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail: 'the body has too many values' }),
  );
});

test('bytes that are no JSON are looked at to their end', () => {
  for (const bytes of ['"', '\\"', '{"a', '"\\', '{"a":"\\\\\\"', ',,,']) {
    expect(() => parse(bytes)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  }
});
