import { expect, test } from '@jest/globals';
import { defaultBaseUrl, optionProblems, quirksOf } from './provider-kinds';

test('an OpenAI-compatible provider without a preset has the base URL of OpenAI', () => {
  expect(defaultBaseUrl('openai', {})).toBe('https://api.openai.com/v1');
});

test('a provider with a preset has the base URL of the preset', () => {
  expect(defaultBaseUrl('openai', { preset: 'groq' })).toBe('https://api.groq.com/openai/v1');
  expect(defaultBaseUrl('anthropic', { preset: 'minimax' })).toBe('https://api.minimax.io/anthropic');
});

test('a provider whose preset has placeholders, or is unknown, has no base URL', () => {
  expect(defaultBaseUrl('openai', { preset: 'databricks' })).toBeUndefined();
  expect(defaultBaseUrl('openai', { preset: 'of-a-later-version' })).toBeUndefined();
});

test.each([
  [{ preset: 'nowhere' }, 'options.preset: unknown for kind openai'],
  [{ preset: 'minimax' }, 'options.preset: unknown for kind openai'],
  [{ region: 'eu' }, 'options: Unrecognized key: "region"'],
  [{ quirks: { manners: 'odd' } }, 'options.quirks: Unrecognized key: "manners"'],
  [
    { quirks: { max_tokens_field: 'tokens' } },
    'options.quirks.max_tokens_field: Invalid option: expected one of "max_tokens"|"max_completion_tokens"',
  ],
  [
    { quirks: { models_path: 'models?limit=1' } },
    'options.quirks.models_path: must be a path that begins with /',
  ],
])('the problem with the options %j is named by its path', (options, problem) => {
  expect(optionProblems('openai', options)).toEqual([problem]);
});

test.each(['max_tokens', 'max_completion_tokens', 'n', 'stream', 'stream_options'])(
  'the parameter %s, on which the cost depends, can not be dropped',
  (parameter) => {
    const [problem] = optionProblems('openai', { quirks: { dropped_parameters: [parameter] } });
    expect(problem).toMatch(/^options\.quirks\.dropped_parameters\.0: Invalid option/);
  },
);

test('quirks are no option of kinds whose adapters have none', () => {
  expect(optionProblems('anthropic', { quirks: {} })).toEqual(['options: Unrecognized key: "quirks"']);
  expect(optionProblems('mistral', { quirks: {} })).toEqual(['options: Unrecognized key: "quirks"']);
});

test("a provider's own quirks replace those of its preset one by one", () => {
  const { think_tags, usage_member } = quirksOf({ preset: 'groq', quirks: { think_tags: false } });
  expect({ think_tags, usage_member }).toEqual({ think_tags: false, usage_member: 'x_groq' });
  expect(quirksOf({})).toEqual({});
});

test('options of a later version are refused, because usage could be misread', () => {
  expect(() => quirksOf({ preset: 'of-a-later-version' })).toThrow('options.preset: unknown');
});
