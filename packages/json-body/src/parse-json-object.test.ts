import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseJsonObject } from './parse-json-object';

const parse = (json: string) => parseJsonObject(Buffer.from(json), { maxValues: 250_000 }).value;

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
    expect.objectContaining({ code: 'invalid_request', detail: 'too many values in the body' }),
  );
});

test('bytes that are no JSON are looked at to their end', () => {
  for (const bytes of ['"', '\\"', '{"a', '"\\', '{"a":"\\\\\\"', ',,,']) {
    expect(() => parse(bytes)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  }
});

test.each([
  ['', 'the body is not valid JSON'],
  ['{"a":1', 'the body is not valid JSON'],
  ['[]', 'the body is not a JSON object'],
  ['null', 'the body is not a JSON object'],
  ['"a"', 'the body is not a JSON object'],
  [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'the body is not valid UTF-8'],
])('%s is no body', (bytes, detail) => {
  expect(() => parseJsonObject(Buffer.from(bytes), { maxValues: 10 })).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail }),
  );
});

test('what is longer than its call allows is refused', () => {
  const body = Buffer.from(`{"a":"${'x'.repeat(100)}"}`);
  const within = (maxBytes: number) => parseJsonObject(body, { maxBytes, maxValues: 10 });
  expect(() => within(body.length - 1)).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail: expect.stringMatching(/longer/) }),
  );
  expect(within(body.length).value).toHaveProperty('a');
});

test('depth alone is too much for whatever reads by recursion', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  expect(() => parse(nested(400))).not.toThrow();
  expect(() => parse(nested(100_000))).toThrow(
    expect.objectContaining({ detail: 'the body is nested too deeply' }),
  );
});

test('what a long text holds are no values', () => {
  const json = JSON.stringify({ a: '[{,\\"'.repeat(10_000) });
  expect(JSON.stringify(parseJsonObject(Buffer.from(json), { maxValues: 10 }).value)).toBe(json);
});
