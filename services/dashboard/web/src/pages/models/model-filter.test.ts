import { expect, test } from '@jest/globals';
import type { Model } from '../../api/models';
import { matches } from './model-filter';

const model = {
  slug: 'openai/gpt-image-2',
  name: 'GPT Image 2',
  aliases: ['openai/gpt-image-2-2026-04-21'],
  output_modalities: ['text', 'image'],
} as const;
const isFound = (filter: Partial<Parameters<typeof matches>[1]>) =>
  matches(model as unknown as Model, { search: '', kind: '', provider: '', ...filter });

test.each([
  [{}, true],
  [{ search: 'IMAGE gpt' }, true],
  [{ search: ' openai/ ' }, true],
  [{ search: '2026-04-21' }, true],
  [{ search: 'image claude' }, false],
  [{ kind: 'chat' }, true],
  [{ kind: 'image' }, true],
  [{ kind: 'video' }, false],
  [{ provider: 'openai' }, true],
  [{ provider: 'open' }, false],
  [{ search: 'gpt', kind: 'image', provider: 'google' }, false],
] as const)('filter %j matches: %p', (filter, found) => {
  expect(isFound(filter)).toBe(found);
});
