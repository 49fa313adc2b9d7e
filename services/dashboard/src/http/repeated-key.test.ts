import { describe, expect, test } from '@jest/globals';
import { hasRepeatedKey } from './repeated-key';

describe('a repeated key', () => {
  test.each([
    ['{"a":1,"a":2}'],
    ['{"a":1,"b":{"c":[]},"a":2}'],
    ['[{"x":{"a":1 , "b":2,\n"a" :3}}]'],
    ['{"a\\"":1,"a\\u0022":2}'],
    ['{"__proto__":1,"__proto__":1}'],
    ['{"":1,"":1}'],
  ])('is found in %s', (json) => {
    JSON.parse(json);
    expect(hasRepeatedKey(json)).toBe(true);
  });

  test.each([
    ['1'],
    ['"a:b"'],
    ['{}'],
    ['{"a":"a","b":"a"}'],
    ['{"a":{"a":{"a":1}},"b":{"a":1}}'],
    ['[{"a":1},{"a":1},["a","a"]]'],
    ['{"a":"\\",\\"a\\":1,\\\\","b":"{[\\"}"}'],
    ['{"a":1,"A":1,"a ":1}'],
  ])('is not found in %s', (json) => {
    JSON.parse(json);
    expect(hasRepeatedKey(json)).toBe(false);
  });
});
