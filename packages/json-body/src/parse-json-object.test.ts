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
])('refuses %s, whose repeated key other parsers may resolve differently', (json) => {
  expect(() => parse(json)).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail: 'the body has a repeated key' }),
  );
});

test('does not take colons and braces within strings for repeated keys', () => {
  const json = '{"a":{"b:\\"{c":"d:{\\"e\\":1}","__proto__":[1,null,"x:y"]},"f":[],"g":{}}';
  expect(JSON.stringify(parse(json))).toBe(json);
});

test('accepts every object that JSON.stringify writes', () => {
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
])('refuses a body with too many %s before parsing it', (_, value, last) => {
  const bodyWith = (count: number) =>
    `{"text":"${'{[,'.repeat(500_000)}","list":[${value.repeat(count)}${last}]}`;
  expect(() => parse(bodyWith(60_000))).not.toThrow();
  expect(() => parse(bodyWith(500_000))).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail: 'too many values in the body' }),
  );
});

test('scans bytes that are not JSON without reading past their end, and refuses them', () => {
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
])('refuses a body of %j: %s', (bytes, detail) => {
  expect(() => parseJsonObject(Buffer.from(bytes), { maxValues: 10 })).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail }),
  );
});

test('refuses a body longer than maxBytes', () => {
  const body = Buffer.from(`{"a":"${'x'.repeat(100)}"}`);
  const within = (maxBytes: number) => parseJsonObject(body, { maxBytes, maxValues: 10 });
  expect(() => within(body.length - 1)).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail: expect.stringMatching(/longer/) }),
  );
  expect(within(body.length).value).toHaveProperty('a');
});

test('refuses a body nested too deeply for recursive code', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  expect(() => parse(nested(400))).not.toThrow();
  expect(() => parse(nested(100_000))).toThrow(
    expect.objectContaining({ detail: 'the body is nested too deeply' }),
  );
});

test('does not count commas and brackets within a string as values', () => {
  const json = JSON.stringify({ a: '[{,\\"'.repeat(10_000) });
  expect(JSON.stringify(parseJsonObject(Buffer.from(json), { maxValues: 10 }).value)).toBe(json);
});
