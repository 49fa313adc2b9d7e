import { PRESETS } from '@gateway/providers';
import { Quota } from '@gateway/quota';
import { expect, test } from '@jest/globals';
import type { Conversation } from '../domain/conversation';
import { KINDS } from './connect-provider';

const bufferQuota = new Quota({ limit: 0 });
const connect = (options: Readonly<Record<string, unknown>>, baseUrl = 'https://provider.invalid/v1') =>
  KINDS.openai({ id: 'own', baseUrl, apiKey: 'k', options }, bufferQuota);

const CONVERSATION: Conversation = {
  system: [],
  turns: [{ role: 'user', parts: [{ kind: 'text', text: 'hi' }] }],
  tools: [{ name: 'f', parameters: {} }],
  toolChoice: { kind: 'required' },
  output: { kind: 'text' },
  sampling: { stop: [] },
  stream: true,
};
const bodyOf = (...given: Parameters<typeof connect>) =>
  JSON.parse(
    connect(...given)
      .writeRequest(CONVERSATION, 'm', 50, new Set())
      .toString(),
  );

test('a server at the address of OpenAI is called as OpenAI', () => {
  const provider = connect({}, 'https://api.openai.com/v1');
  expect(provider).toMatchObject({ maxTokensField: 'max_completion_tokens', needsMaximum: false });
  expect(provider.boundInput).toBeDefined();
});

test('another server is called as a compatible one', () => {
  expect(connect({})).toMatchObject({ maxTokensField: 'max_tokens', needsMaximum: 'where_it_fits' });
  expect(connect({}).boundInput).toBeUndefined();
});

test('a server with a preset has the quirks of the preset', () => {
  expect(bodyOf({ preset: 'fireworks-ai' })).toMatchObject({ tool_choice: 'any', max_tokens: 50 });
  expect(bodyOf({ quirks: { stream_options: false } })).not.toHaveProperty('stream_options');
});

test('models are listed at the path of the quirks, also in a list that is not wrapped in an object', async () => {
  const { address, read } = connect({ quirks: { models_path: '/v2/list' } }).modelListing!;
  expect((await address()).url.href).toBe('https://provider.invalid/v1/v2/list');
  const models = [{ id: 'a', context_length: 10 }];
  const expected = [{ id: 'a', contextLength: 10 }];
  expect(read({ data: models })).toEqual(expected);
  expect(read(models as unknown as Record<string, unknown>)).toEqual(expected);
});

test("an operator's quirks replace those of the preset and those of OpenAI", () => {
  const options = { preset: 'fireworks-ai', quirks: { required_tool_choice: 'auto' } };
  expect(bodyOf(options)).toMatchObject({ tool_choice: 'auto' });
  const quirks = { max_tokens_field: 'max_tokens' };
  expect(bodyOf({ quirks }, 'https://api.openai.com/v1')).toMatchObject({ max_tokens: 50 });
});

test('a provider with options of a later version is not called', () => {
  expect(() => connect({ preset: 'of-a-later-version' })).toThrow('options.preset');
  expect(() => connect({ quirks: { later: true } })).toThrow('options.quirks');
});

test.each([...PRESETS.values()])('preset $id can be connected', ({ id, kind, base_url: template }) => {
  const baseUrl = template.replace(/\{\w+\}/, 'host');
  const options = kind === 'openai' || kind === 'anthropic' ? { preset: id } : {};
  expect(KINDS[kind]({ id, baseUrl, apiKey: 'k', options }, bufferQuota).id).toBe(id);
});
