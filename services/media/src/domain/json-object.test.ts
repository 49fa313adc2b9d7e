import { describe, expect, test } from '@jest/globals';
import { parseJsonObject } from './json-object';

const parse = (text: string | Buffer) => parseJsonObject(Buffer.from(text));

test('an object is what it says', () => {
  const value = { a: '":,{', b: [{ a: 1 }, { a: 2 }], 'c\\"': { x: null } };
  expect(parse(JSON.stringify(value))).toEqual(value);
  expect(parse(' { } ')).toEqual({});
});

test.each([
  ['', /JSON/],
  ['{"a":1', /JSON/],
  ['[]', /object/],
  ['null', /object/],
  ['"a"', /object/],
  ['{"a":1,"a":1}', /repeated/],
  ['{"a":{"b":1},"\\u0061":[]}', /repeated/],
  [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /UTF-8/],
])('%s is no body', (text, detail) => {
  expect(() => parse(text)).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail: expect.stringMatching(detail) }),
  );
});

test("a key that is repeated further down is its owner's matter", () => {
  expect(parse('{"a":{"b":1,"b":2}}')).toEqual({ a: { b: 2 } });
});

describe('is refused before it is parsed', () => {
  const MIB = 1024 ** 2;

  test.each([
    ['lists', '{"a":[', '[],'],
    ['objects', '{"a":[', '{},'],
    ['numbers', '{"a":[', '1,'],
    ['strings', '{"a":[', '"",'],
    ['strings in a row', '', '""'],
    ['depth', '{"a":', '['],
  ])('what is made of too many %s', (_what, before, piece) => {
    const body = `${before}${piece.repeat((32 * MIB) / piece.length)}`;
    const fromMs = performance.now();
    expect(() => parse(body)).toThrow(expect.objectContaining({ detail: 'the body has too many values' }));
    expect(performance.now() - fromMs).toBeLessThan(1_000);
  });

  test('what is longer than its call allows', () => {
    const body = Buffer.from(`{"a":"${'x'.repeat(100)}"}`);
    expect(() => parseJsonObject(body, body.length - 1)).toThrow(
      expect.objectContaining({ code: 'invalid_request', detail: expect.stringMatching(/longer/) }),
    );
    expect(parseJsonObject(body, body.length)).toHaveProperty('a');
  });

  test('not a long string, whatever is in it', () => {
    const text = '[{,\\"'.repeat(10_000);
    expect(parse(JSON.stringify({ a: text }))).toEqual({ a: text });
  });
});
