import { describe, expect, test } from '@jest/globals';
import { topLevelScalar } from './top-level-scalar';

const KEY = Buffer.from('"model"');

function found(json: string): string | undefined {
  const bytes = Buffer.from(json);
  const span = topLevelScalar(bytes, KEY);
  return span && bytes.toString('utf8', span.start, span.end);
}

describe('topLevelScalar', () => {
  test.each([
    ['{"model":"a"}', '"a"'],
    ['data: {"id":"“\\"model\\":\\"b\\"”", "model" : "a\\"b" ,"n":1}\n\n', '"a\\"b"'],
    ['{"choices":[{"model":"b","delta":{"model":"c"}}],"model":"a"}', '"a"'],
    ['{"role":"model","model":"a"}', '"a"'],
    ['{"list":["model",{"x":"model"}],"model":null}', 'null'],
    ['{"model":12.5 }', '12.5'],
  ])('finds the model in %s', (json, value) => expect(found(json)).toBe(value));

  test.each([
    '',
    ': a comment',
    '{}',
    '{"choices":[{"model":"b"}]}',
    '{"models":"a"}',
    '{"model":{"id":"a"}}',
    '{"id":"a"} {"model":"b"}',
    '{"id":"model"}',
    // Truncated or invalid JSON.
    '{"mod',
    '{"choices":[{"model":"b"',
    '{{{[[["model":"a"',
    '}{"model"',
    'data: {"model":"a}\n\n',
    '{"model":"a"',
    '{"model":',
  ])('finds no model in %j', (json) => expect(found(json)).toBeUndefined());
});
