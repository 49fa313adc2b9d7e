import { expect, test } from '@jest/globals';
import type { Model } from '../../domain/model';
import { parseModelPage, toAnthropicModelList } from './model-list';

const model = (slug: string): Model => ({
  slug,
  name: 'A model',
  active: true,
  preview: false,
  outputModalities: ['text'],
  capabilities: new Set(),
  hidesReasoning: false,
  contextLength: 1_000,
  maxOutputTokens: 100,
  outputFloorTokens: 1,
  maxImageTokens: 0,
  targets: [],
  strategy: 'weighted',
  fallbackModels: [],
  createdAtMs: Date.UTC(2026, 0, 2),
});

test("the list has Anthropic's shape, and one page unless a limit is given", () => {
  expect(toAnthropicModelList([model('a/b'), model('a/c')], parseModelPage(''))).toEqual({
    data: [
      {
        type: 'model',
        id: 'a/b',
        display_name: 'A model',
        created_at: '2026-01-02T00:00:00.000Z',
        max_input_tokens: 1_000,
        max_tokens: 100,
        lifecycle: 'active',
        line: null,
        capabilities: null,
        deprecated_at: null,
        retires_at: null,
      },
      expect.objectContaining({ id: 'a/c' }),
    ],
    has_more: false,
    first_id: 'a/b',
    last_id: 'a/c',
  });
  const none = toAnthropicModelList([], parseModelPage('limit=1&after_id=a/b'));
  expect(none).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
});

test.each([
  ['limit=2', 'b c', true],
  ['limit=4', 'b c d e', false],
  ['limit=2&after_id=a%2Fc', 'd e', false],
  ['limit=1&after_id=a/c', 'd', true],
  ['after_id=a/cc', 'd e', false],
  ['limit=2&before_id=a/e', 'c d', true],
  ['limit=2&before_id=a/d', 'b c', false],
  ['before_id=a/b', '', false],
  ['limit=1&after_id=a/b&before_id=a/e', 'd', true],
  ['after_id=&before_id=&beta=true', 'b c d e', false],
])('%s lists %s', (query, names, hasMore) => {
  const models = ['b', 'c', 'd', 'e'].map((name) => model(`a/${name}`));
  const list = toAnthropicModelList(models, parseModelPage(query));
  expect(list.data.map(({ id }) => id.slice(2)).join(' ')).toBe(names);
  expect(list.has_more).toBe(hasMore);
});

test.each(['', '0', '1001', '-1', '1.5', 'all', '99999'])('limit %j is invalid_request', (limit) => {
  expect(() => parseModelPage(`limit=${limit}`)).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail: 'limit: must be a number from 1 to 1000' }),
  );
});
