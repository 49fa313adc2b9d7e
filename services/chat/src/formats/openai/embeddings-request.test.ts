import { describe, expect, test } from '@jest/globals';
import { parseEmbeddingsRequest } from './embeddings-request';

const parse = (body: object) =>
  parseEmbeddingsRequest(Buffer.from(JSON.stringify({ model: 'sim/embedding', input: 'x', ...body })));

describe('the input of an embeddings call', () => {
  test.each<[string, unknown, object]>([
    ['a text', 'a', { kind: 'texts', list: ['a'] }],
    ['texts', ['a', 'b'], { kind: 'texts', list: ['a', 'b'] }],
    ['tokens', [1, 2], { kind: 'tokens', list: [[1, 2]] }],
    ['lists of tokens', [[1, 2], [3]], { kind: 'tokens', list: [[1, 2], [3]] }],
  ])('may be %s', (_what, input, inputs) => {
    expect(parse({ input })).toEqual({ model: 'sim/embedding', inputs, encoding: 'float' });
  });

  test.each<[string, unknown, string]>([
    ['null', null, 'input'],
    ['an empty text', '', 'input'],
    ['an empty list', [], 'input'],
    ['an empty text in a list', ['a', ''], 'input[1]'],
    ['an empty list of tokens', [[1], []], 'input[1]'],
  ])('counts as missing if it is %s', (_what, input, param) => {
    expect(() => parse({ input })).toThrow(expect.objectContaining({ code: 'missing_parameter', param }));
  });

  test.each<[string, unknown, RegExp]>([
    ['a number', 5, /^input: must be/],
    ['an object', { text: 'a' }, /^input: must be/],
    ['a mixed list', ['a', 5], /^input\[1\]: must be/],
    ['texts and tokens', [[1], 'a'], /^input\[1\]: must be/],
    ['an empty text before a number', ['', 5], /^input\[1\]: must be/],
    ['negative tokens', [-1], /^input: must be/],
    ['fractions', [[1], [0.5]], /^input\[1\]: must be/],
    ['more than 2,048 texts', Array(2_049).fill('a'), /^input: more than 2048 inputs$/],
  ])('is refused if it is %s', (_what, input, detail) => {
    expect(() => parse({ input })).toThrow(
      expect.objectContaining({ code: 'invalid_request', detail: expect.stringMatching(detail) }),
    );
  });
});

test('reads the options of an embeddings call, and null as absent', () => {
  const options = { dimensions: 256, encoding_format: 'base64', user: 'u', input_type: 'query' };
  expect(parse(options)).toMatchObject({
    dimensions: 256,
    encoding: 'base64',
    user: 'u',
    inputType: 'query',
  });
  expect(parse({ dimensions: null, encoding_format: null, user: null, input_type: null })).toEqual(parse({}));
});

test.each<[string, object, object]>([
  ['an unknown field', { truncate: 'END' }, { code: 'invalid_request' }],
  ['an unknown encoding', { encoding_format: 'int8' }, { code: 'invalid_request' }],
  ['zero dimensions', { dimensions: 0 }, { code: 'invalid_request' }],
  ['an unknown input type', { input_type: 'image' }, { code: 'invalid_request' }],
  ['a wrong value before a missing one', { input: '', dimensions: 'x' }, { code: 'invalid_request' }],
  ['a missing input before a missing model', { input: '', model: '' }, { code: 'missing_parameter' }],
  ['a missing model', { model: undefined }, { code: 'missing_parameter', param: 'model' }],
  ['a null model', { model: null }, { code: 'invalid_model' }],
])('refuses an embeddings call with %s', (_what, body, error) => {
  expect(() => parse(body)).toThrow(expect.objectContaining(error));
});
