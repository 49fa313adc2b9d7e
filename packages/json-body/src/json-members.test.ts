import { describe, expect, test } from '@jest/globals';
import { topLevelMembers, withMembers } from './json-members';

const keys = (json: string) => topLevelMembers(Buffer.from(json)).map(({ key }) => key);

function replaced(json: string, values: Record<string, string | undefined>): string {
  const bytes = Buffer.from(json);
  return withMembers(bytes, topLevelMembers(bytes), new Map(Object.entries(values))).toString();
}

describe('topLevelMembers', () => {
  test.each([
    ['{}', []],
    [' { } ', []],
    ['{"a":1}', ['a']],
    ['{"a":{"model":"x"},"b":[{"c":1},"]}"],"d":"\\"}"}', ['a', 'b', 'd']],
    ['{"\\u006dodel":"x","m\\"q":1}', ['model', 'm"q']],
    ['{"a":"\\\\","b":"\\\\\\"","c":null}', ['a', 'b', 'c']],
    ['{"a":1,"a":2}', ['a', 'a']],
  ])('returns the keys of the top-level members of %s', (json, expected) => {
    expect(keys(json)).toEqual(expected);
  });
});

test.each(Array.from({ length: 40 }, (_, chars) => 'x'.repeat(chars)))(
  'finds the end of a string in which escapes follow "%s"',
  (text) => {
    for (const escaped of ['\\"]}', '\\\\', '\\\\\\"', '\\"\\"']) {
      expect(keys(`{"a":"${text}${escaped}","b":[]}`)).toEqual(['a', 'b']);
    }
  },
);

test('refuses a body nested deeper than 500 levels', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  expect(keys(nested(499))).toEqual(['a']);
  expect(() => keys(nested(500))).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

test.each([
  ['9007199254740993', true],
  ['-12345678901234567890', true],
  ['{"a":[1,{"b":9007199254740993 }]}', true],
  ['123456789012345', false],
  ['0.12345678901234567890', false],
  ['"9007199254740993"', false],
  ['{"9007199254740993":1}', false],
])('reports for %s whether it contains an integer too long for a number: %p', (value, expected) => {
  const json = Buffer.from(`{"before":1,"a":${value},"behind":9007199254740993}`);
  expect(topLevelMembers(json).map(({ hasLongInteger }) => hasLongInteger)).toEqual([false, expected, true]);
});

test('refuses a body with more than 1,000 top-level fields', () => {
  const fields = (count: number) => `{${Array(count).fill('"a":1').join()}}`;
  expect(keys(fields(1_000))).toHaveLength(1_000);
  expect(() => keys(fields(1_001))).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail: 'the body has too many fields' }),
  );
});

describe('withMembers', () => {
  test('changes only the bytes of the replaced value', () => {
    const json = '{ "seed" : 12345678901234567890 ,\n "model" : "openai/x" , "t":1.0 }';
    expect(replaced(json, { model: '"x"' })).toBe(
      '{ "seed" : 12345678901234567890 ,\n "model" : "x" , "t":1.0 }',
    );
  });

  test('adds members that the object lacks', () => {
    expect(replaced('{"model":"a"}', { model: '"b"', n: '1' })).toBe('{"model":"b","n":1}');
    expect(replaced('{}', { n: '1' })).toBe('{"n":1}');
  });

  test('removes members whose new value is undefined', () => {
    expect(replaced('{"a":1, "model" : "x", "b":[2 ]}', { a: undefined, b: undefined })).toBe(
      '{"model" : "x"}',
    );
    expect(replaced('{"a":1,"b":2,"c":3}', { b: undefined, c: '4', d: '5' })).toBe('{"a":1,"c":4,"d":5}');
    expect(replaced('{"a":1}', { a: undefined })).toBe('{}');
    expect(replaced('{"a":1}', { b: undefined })).toBe('{"a":1}');
  });

  test('replaces a member whose key is written with escapes', () => {
    expect(JSON.parse(replaced('{"\\u006dodel":"a"}', { model: '"b"' }))).toEqual({ model: 'b' });
  });
});
