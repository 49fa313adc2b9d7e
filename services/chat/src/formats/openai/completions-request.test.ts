import { describe, expect, test } from '@jest/globals';
import { parseCompletionsRequest } from './completions-request';

const parse = (fields: object) =>
  parseCompletionsRequest(Buffer.from(JSON.stringify({ model: 'x/y', prompt: 'Hi', ...fields })));
const passed = (fields: object, change: object = {}) =>
  JSON.parse(
    String(
      parse(fields).passThroughBody({
        ...{ upstreamModel: 'm', maxTokens: undefined, maxTokensField: 'max_tokens' },
        ...change,
      }),
    ),
  );

test.each<[string, object, object]>([
  ['one prompt', {}, { prompts: 1, choices: 1, maxOutputTokens: 16 }],
  ['tokens', { prompt: [1, 2], max_tokens: 5 }, { prompts: 1, choices: 1, maxOutputTokens: 5 }],
  ['no output', { max_tokens: 0, echo: true }, { maxOutputTokens: 0 }],
  ['several prompts', { prompt: ['a', 'b'], n: 3 }, { prompts: 2, choices: 6 }],
  ['discarded choices', { prompt: [[1], [2, 3]], n: 2, best_of: 5 }, { prompts: 2, choices: 10 }],
])('the size counts every generated choice of %s', (_what, fields, size) => {
  expect(parse(fields).size).toMatchObject(size);
});

test.each([
  ['a prompt', {}, 'completions'],
  ['an empty suffix', { suffix: '' }, 'completions'],
  ['a suffix', { suffix: ')' }, 'fim'],
  ['a suffix at the start of a file', { prompt: '', suffix: ')' }, 'fim'],
])('a call with %s needs a model with the capability', (_what, fields, needs) => {
  expect(parse(fields).needs).toBe(needs);
});

test('the maximum output is always sent, so that no default of a provider applies', () => {
  expect(passed({})).toEqual({ model: 'm', prompt: 'Hi', max_tokens: 16 });
  expect(passed({ max_tokens: 9 }, { maxTokens: 4 })).toMatchObject({ max_tokens: 4 });
});

test('streams ask for their usage, which the caller may not want', () => {
  expect(passed({ stream: true })).toMatchObject({ stream_options: { include_usage: true } });
  expect(parse({ stream: true }).includeUsage).toBe(false);
});

describe('a body is refused', () => {
  test.each<[string, object, string, string]>([
    ['without a prompt', { prompt: undefined }, 'missing_parameter', 'prompt'],
    ['with an empty prompt', { prompt: '' }, 'missing_parameter', 'prompt'],
    ['with an empty list of prompts', { prompt: [], suffix: 'x' }, 'missing_parameter', 'prompt'],
    ['with an empty one among prompts', { prompt: ['a', ''] }, 'missing_parameter', 'prompt[1]'],
    ['with a number as prompt', { prompt: 7 }, 'invalid_request', 'prompt:'],
    ['with texts and tokens', { prompt: ['a', [1]] }, 'invalid_request', 'prompt[1]:'],
    ['with negative tokens', { prompt: [-1] }, 'invalid_request', 'prompt'],
    ['with too many prompts', { prompt: Array(257).fill('x') }, 'invalid_request', 'prompt:'],
    ['with best_of below n', { n: 3, best_of: 2 }, 'invalid_request', 'best_of:'],
    ['with an unknown field', { messages: [] }, 'invalid_request', 'messages'],
    ['with stream_options but no stream', { stream_options: {} }, 'invalid_request', 'stream_options:'],
    ['without a model', { model: '' }, 'invalid_model', ''],
  ])('%s', (_what, fields, code, at) => {
    const refusal = () => parse(fields);
    expect(refusal).toThrow(expect.objectContaining({ code }));
    try {
      refusal();
    } catch (error) {
      const { param = '', detail = '' } = error as { param?: string; detail?: string };
      if (code !== 'invalid_model') expect(`${param}${detail}`).toContain(at);
    }
  });
});
