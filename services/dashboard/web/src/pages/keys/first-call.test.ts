import { expect, test } from '@jest/globals';
import type { Model } from '../../api/models';
import { firstCall } from './first-call';

const model = (slug: string, modality: string, output?: number, more: Partial<Model> = {}) =>
  ({
    slug,
    status: 'active',
    preview: false,
    output_modalities: [modality],
    pricing: { tokens: { output } },
    ...more,
  }) as unknown as Model;
const CATALOG = [
  model('a/disabled', 'text', 0, { status: 'disabled' }),
  model('a/preview', 'text', 0, { preview: true }),
  model('b/dear', 'text', 30),
  model('b/cheap', 'text', 2),
  model('c/image', 'image'),
];
const made = (...allowed_models: string[]) => ({ key: 'sk-gw-x', allowed_models });

test('uses the cheapest chat model that the key allows', () => {
  const code = firstCall('https://api.example.com', made(), CATALOG);
  expect(code).toContain('curl https://api.example.com/v1/chat/completions');
  expect(code).toContain('Bearer sk-gw-x');
  expect(code).toContain('"model":"b/cheap"');
  expect(firstCall('', made('b/dear', 'c/image'), CATALOG)).toContain('b/dear');
});

test('uses an image model if no chat model is allowed, and returns nothing if no model is', () => {
  expect(firstCall('', made('c/image'), CATALOG)).toMatch(/^curl \/v1\/images[\s\S]*c\/image/);
  expect(firstCall('', made('a/disabled'), CATALOG)).toBeUndefined();
  expect(firstCall('', made('type:image'), CATALOG)).toContain('c/image');
  expect(firstCall('', made('b/d*'), CATALOG)).toContain('b/dear');
});
