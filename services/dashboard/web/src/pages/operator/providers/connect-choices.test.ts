import { expect, test } from '@jest/globals';
import type { ProviderPresets } from '../../../api/admin-providers';
import { type Choice, choicesOf, freeId, matches, placeholdersIn } from './connect-choices';
import { toProviderInput } from './connect-draft';

const preset = (id: string, name: string, more: Partial<ProviderPresets['data'][number]> = {}) => ({
  id,
  name,
  kind: 'openai',
  base_url: `https://api.${id}.test/v1`,
  api_key: 'required' as const,
  docs: null,
  options: { preset: id },
  ...more,
});
const PRESETS: ProviderPresets = {
  data: [
    preset('groq', 'Groq'),
    preset('mistral', 'Mistral AI', { kind: 'mistral', options: {} }),
    preset('minimax', 'MiniMax', { kind: 'anthropic' }),
    preset('cloudflare', 'Cloudflare', { base_url: 'https://cf.test/{account_id}/v1' }),
  ],
  next_cursor: null,
  kinds: [
    { kind: 'openai', base_url: 'https://api.openai.com/v1', options: ['quirks'] },
    { kind: 'anthropic', base_url: 'https://api.anthropic.com', options: [] },
    { kind: 'mistral', base_url: 'https://api.mistral.test/v1', options: [] },
    { kind: 'bedrock', base_url: null, options: ['region'] },
    { kind: 'minimax', base_url: 'https://api.minimax.test', options: [] },
  ],
};
const choice = (key: string): Choice => choicesOf(PRESETS).find((one) => one.key === key)!;
const inputOf = (key: string, more: { baseUrl?: string; options?: string; id?: string } = {}) =>
  toProviderInput(choice(key), { id: 'mine', name: '', baseUrl: choice(key).baseUrl, options: '', ...more });

test('presets, kinds without a preset and any other endpoint can be connected', () => {
  expect(choicesOf(PRESETS).map(({ name }) => name)).toEqual([
    'Anthropic',
    'AWS Bedrock',
    'Cloudflare',
    'Groq',
    'MiniMax',
    'MiniMax (videos)',
    'Mistral AI',
    'OpenAI',
    'Other OpenAI-compatible endpoint',
  ]);
  expect(choice('other')).toMatchObject({ kind: 'openai', baseUrl: '', apiKey: 'optional' });
  expect(choice('kind:anthropic')).toMatchObject({ optionNames: [], suggestedId: 'anthropic' });
});

test('a base URL that the options determine may stay empty', () => {
  expect(choice('kind:bedrock')).toMatchObject({ baseUrl: '', hasUrlByOptions: true });
  expect(choice('other').hasUrlByOptions).toBe(false);
  const { input } = inputOf('kind:bedrock', { options: '{ "region": "us-east-1" }' });
  expect(input).toEqual({ id: 'mine', kind: 'bedrock', options: { region: 'us-east-1' } });
});

test('the search of endpoints finds names and addresses', () => {
  expect(
    choicesOf(PRESETS)
      .filter((one) => matches(one, ' GROQ.test '))
      .map(({ key }) => key),
  ).toEqual(['groq']);
});

test('a suggested id differs from those of the catalog, but replaces one of the environment', () => {
  const providers = [
    { id: 'groq', source: 'catalog' },
    { id: 'groq-2', source: 'catalog' },
    { id: 'openai', source: 'environment' },
  ] as const;
  expect(freeId('groq', providers)).toBe('groq-3');
  expect(freeId('openai', providers)).toBe('openai');
});

test('a base URL with placeholders is not sent', () => {
  expect(placeholdersIn('https://{host}/{a_b}/v1')).toEqual(['{host}', '{a_b}']);
  const { input, problems } = inputOf('cloudflare');
  expect(input).toBeUndefined();
  expect(problems.get('base_url')).toBe('Replace {account_id}.');
});

test('the base URL of a preset is not sent, another one is', () => {
  expect(inputOf('groq').input).toEqual({ id: 'mine', kind: 'openai', options: { preset: 'groq' } });
  expect(inputOf('groq', { baseUrl: ' https://proxy.test/v1 ' }).input).toMatchObject({
    base_url: 'https://proxy.test/v1',
  });
});

test('typed options are added to those of the preset, if they are a JSON object', () => {
  expect(inputOf('groq', { options: '{"quirks":{}}' }).input?.options).toEqual({
    preset: 'groq',
    quirks: {},
  });
  for (const options of ['[1]', '"a"', 'null', '{']) {
    const { input, problems } = inputOf('groq', { options });
    expect([input, problems.has('options')]).toEqual([undefined, true]);
  }
});

test('an id that is part of the address of another page is refused', () => {
  expect(inputOf('groq', { id: 'new' }).problems.get('id')).toBe('This ID is reserved.');
});
