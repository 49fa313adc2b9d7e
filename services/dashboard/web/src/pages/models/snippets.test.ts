import { describe, expect, test } from '@jest/globals';
import type { Model } from '../../api/models';
import { snippetsOf } from './snippets';

const API = 'https://api.example.com';
const modelOf = (fields: object) =>
  ({ image: null, video: null, pricing: null, output_modalities: ['text'], ...fields }) as unknown as Model;
const snippetMap = (fields: object) =>
  new Map(snippetsOf(modelOf(fields), API).map(({ label, code }) => [label, code]));
const bodiesOf = (code: string) => [...code.matchAll(/-d '(.*?)'/gs)].map(([, body]) => JSON.parse(body!));

describe('chat snippets', () => {
  const snippets = snippetMap({ slug: 'openai/gpt-5.5' });

  test('are in three languages', () => {
    expect([...snippets.keys()]).toEqual(['curl', 'Python', 'TypeScript']);
    expect(snippets.get('Python')).toContain('base_url="https://api.example.com/v1"');
    expect(snippets.get('TypeScript')).toContain('baseURL: "https://api.example.com/v1"');
  });

  test('have a curl body that the gateway accepts', () => {
    expect(snippets.get('curl')).toContain('curl https://api.example.com/v1/chat/completions');
    const messages = [{ role: 'user', content: expect.any(String) }];
    expect(bodiesOf(snippets.get('curl')!)).toEqual([{ model: 'openai/gpt-5.5', messages }]);
  });

  test("use Anthropic's SDK for Claude, which adds /v1 itself", () => {
    const code = snippetMap({ slug: 'anthropic/claude-opus-5' }).get('TypeScript (Anthropic SDK)');
    expect(code).toContain('baseURL: "https://api.example.com",');
    expect(code).toContain('model: "anthropic/claude-opus-5"');
  });
});

test('image snippets name a size if the model offers a choice', () => {
  const image = { sizes: ['1024x1024'], default_size: '1024x1024' };
  const sized = snippetMap({ slug: 'sim/image', output_modalities: ['image'], image });
  expect(bodiesOf(sized.get('curl')!)).toEqual([
    { model: 'sim/image', prompt: expect.any(String), size: '1024x1024' },
  ]);
  expect(sized.get('Python')).toContain('images.generate');
  const free = snippetMap({
    slug: 'sim/image',
    output_modalities: ['text', 'image'],
    image: { ...image, sizes: [] },
  });
  expect(free.get('Python')).not.toContain('size=');
});

test('video snippets create, poll and fetch a video, and name a tier if there is no default', () => {
  const video = (default_tier: string | null) =>
    snippetMap({
      slug: 'kling/v3',
      output_modalities: ['video'],
      pricing: { video: { tiers: ['std'], default_tier } },
    });
  const code = video(null).get('curl')!;
  expect(code).toContain('/v1/videos/kling/create');
  expect(bodiesOf(code).map(Object.keys)).toEqual([['model', 'prompt', 'tier'], ['task_id'], ['task_id']]);
  expect(bodiesOf(video('std').get('curl')!)[0]).not.toHaveProperty('tier');
});
