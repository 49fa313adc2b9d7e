import { expect, test } from '@jest/globals';
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
