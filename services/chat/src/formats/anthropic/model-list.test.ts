import { expect, test } from '@jest/globals';
import type { Model } from '../../domain/model';
import { toAnthropicModelList } from './model-list';

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
  createdAtMs: Date.UTC(2026, 0, 2),
});

test('models are listed as Anthropic lists them, on one page', () => {
  expect(toAnthropicModelList([model('a/b'), model('a/c')])).toEqual({
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
  expect(toAnthropicModelList([])).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
});
