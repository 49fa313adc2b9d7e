import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readSeed, SeedError } from './read-seed';

const SHIPPED = path.join(__dirname, '../../../../deploy/catalog');

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'gateway-seed-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const write = (name: string, value: unknown) =>
  writeFileSync(path.join(directory, name), typeof value === 'string' ? value : JSON.stringify(value));
const problems = async () => {
  const error = await readSeed(directory).catch((thrown) => thrown);
  if (!(error instanceof SeedError)) throw new Error('the seed was taken');
  return error.problems;
};
const pricing = (more: object = { tokens: { input: '1', output: '2' } }) => ({
  source: 'a page',
  source_date: '2026-01-01',
  ...more,
});
const chat = (slug: string, more: object = {}) => ({
  slug,
  name: 'A model',
  input_modalities: ['text'],
  output_modalities: ['text'],
  context_length: 1000,
  max_output_tokens: 100,
  targets: [{ provider: 'sim', upstream_model: 'x' }],
  pricing: pricing(),
  ...more,
});

describe('the shipped seed', () => {
  test('is valid, and every price names its source and day', async () => {
    const models = await readSeed(SHIPPED);
    expect(models.length).toBeGreaterThan(40);
    for (const { slug, pricing: prices } of models) {
      expect(prices.source_date).toMatch(/^202\d-\d\d-\d\d$/);
      if (!slug.startsWith('sim/')) expect(prices.source).toMatch(/^https:\/\//);
    }
  });

  test('describes the options of every image and video model', async () => {
    const models = await readSeed(SHIPPED);
    const makers = (output: string) => models.filter((model) => model.outputModalities.includes(output));
    expect(makers('image').length).toBeGreaterThan(5);
    for (const { slug, image } of makers('image'))
      expect([slug, image?.formats.includes('png')]).toEqual([slug, true]);
    for (const { slug, video, pricing, workflow } of makers('video')) {
      expect([slug, Object.keys(video?.tiers ?? {})]).toEqual([slug, pricing.video?.tiers]);
      expect([slug, workflow]).toEqual([slug, ['create', 'status', 'result']]);
    }
    expect(new Set(makers('video').map(({ targets }) => targets[0]?.provider))).toEqual(
      new Set(['alibaba', 'google', 'kling', 'minimax', 'sim']),
    );
  });

  test('has an entry for each model error that a caller can get', async () => {
    const bySlug = new Map((await readSeed(SHIPPED)).map((model) => [model.slug, model]));
    expect(bySlug.get('sim/chat')).toMatchObject({ status: 'active', preview: false, outputFloorTokens: 16 });
    expect(bySlug.get('sim/preview')).toMatchObject({ status: 'active', preview: true });
    expect(bySlug.get('sim/disabled')?.status).toBe('disabled');
    expect(bySlug.get('sim/delisted')).toMatchObject({ status: 'delisted', successor: 'sim/chat' });
    expect(bySlug.get('sim/unreachable')?.targets[0]?.provider).toBe('sim-unreachable');
    expect(bySlug.get('sim/image')?.outputModalities).toEqual(['image']);
    expect(bySlug.get('sim/video')?.pricing.video).toMatchObject({
      tiers: ['std', 'pro'],
      default_tier: 'std',
    });
  });
});

describe('an invalid seed', () => {
  test('is rejected with all problems of all files', async () => {
    write('a.json', '{');
    write('b.json', { models: [chat('Bad Slug'), chat('sim/x', { name: '', colour: 'red' })] });
    write('c.json', {
      models: [
        chat('sim/y', { successor: 'sim/gone' }),
        chat('sim/y'),
        chat('sim/z', { aliases: ['sim/y', 'latest'] }),
        chat('sim/a', { aliases: ['latest'] }),
      ],
    });
    write('notes.txt', 'not read');
    expect(await problems()).toEqual([
      'a.json: not valid JSON',
      expect.stringMatching(/^b\.json: models\.0\.slug: /),
      expect.stringMatching(/^b\.json: models\.1\.name: /),
      expect.stringMatching(/^b\.json: models\.1: .*colour/),
      'sim/y: defined twice',
      'sim/z: alias sim/y is already used by sim/y',
      'sim/a: alias latest is already used by sim/z',
      'sim/y: successor sim/gone does not exist',
    ]);
  });

  test('without a .json file is rejected', async () => {
    expect(await problems()).toHaveLength(1);
  });

  test.each<[string, object, RegExp]>([
    [
      'a price of more digits than a number keeps',
      { pricing: pricing({ tokens: { input: 123456789.1234567, output: '1' } }) },
      /tokens\.input/,
    ],
    [
      'a price with too many decimals',
      { pricing: pricing({ tokens: { input: '0.0000000001', output: '1' } }) },
      /decimal/,
    ],
    ['chat without an output price', { pricing: pricing({ tokens: { input: '1' } }) }, /input and output/],
    [
      'embeddings without an input price',
      { output_modalities: ['embedding'], pricing: pricing({ tokens: { output: '1' } }) },
      /an input price/,
    ],
    ['embeddings and text', { output_modalities: ['text', 'embedding'] }, /outputs nothing else/],
    [
      'embeddings without a context',
      { output_modalities: ['embedding'], max_output_tokens: 0, context_length: 0 },
      /context length/,
    ],
    [
      'a moderation without a price',
      { output_modalities: ['moderation'], pricing: pricing({ tokens: {} }) },
      /moderation needs an input price/,
    ],
    [
      'a rerank model without any price',
      { output_modalities: ['rerank'], pricing: pricing({ tokens: { units: { web_search: '1' } } }) },
      /rerank needs an input price/,
    ],
    [
      'speech without a price',
      { output_modalities: ['speech'], pricing: pricing({ audio: { audio_output: '12' } }) },
      /million_characters, or of text_input and audio_output/,
    ],
    [
      'a transcription with prices of its duration and of its tokens',
      {
        output_modalities: ['transcription'],
        pricing: pricing({ audio: { hour: '0.36', audio_input: '1', text_output: '2' } }),
      },
      /no other price/,
    ],
    ['speech and text', { output_modalities: ['text', 'speech'] }, /outputs nothing else/],
    ['images without a price', { output_modalities: ['image'] }, /image prices/],
    ['video without a price', { output_modalities: ['video'], workflow: ['create'] }, /video prices/],
    [
      'a tier without a price',
      { pricing: pricing({ tokens: { input: '1', output: '1' }, video: { tiers: ['a'], per_second: {} } }) },
      /without a price: a/,
    ],
    [
      'an unknown default tier',
      {
        pricing: pricing({
          tokens: { input: '1', output: '1' },
          video: { tiers: ['a'], default_tier: 'A', per_second: { a: '1' } },
        }),
      },
      /default_tier/,
    ],
    ['a floor above the maximum', { output_floor_tokens: 101 }, /output_floor_tokens/],
    ['more output than context', { max_output_tokens: 1001 }, /above context_length/],
    ['an alias with two slashes', { aliases: ['sim/x/y'] }, /aliases\.0/],
    ['an alias that is a reserved name', { aliases: ['default'] }, /aliases\.0: is a reserved name/],
    ['its own slug as an alias', { aliases: ['sim/x'] }, /contains the slug/],
    ['an active model without targets', { targets: [] }, /targets/],
    ['an invalid date', { pricing: { ...pricing(), source_date: '2026-02-30' } }, /source_date/],
  ])('with %s is rejected', async (_what, more, expected) => {
    write('a.json', { models: [chat('sim/x', more)] });
    expect((await problems()).join('\n')).toMatch(expected);
  });
});

describe('prices of audio of a chat model', () => {
  const audioOf = async (tokens: object) => {
    write('a.json', {
      models: [chat('a/b', { pricing: pricing({ tokens: { input: '1', output: '2', ...tokens } }) })],
    });
    return readSeed(directory);
  };

  test('are read, also of service tiers and long prompts', async () => {
    const audio = { audio_input: '10', audio_cache_read: '3', audio_output: '20' };
    const rates = { input: '1', output: '2', ...audio };
    const [model] = await audioOf({
      ...audio,
      service_tiers: { flex: rates },
      long_context: { above_tokens: 9, ...rates },
    });
    const read = {
      audio_input: 10_000_000_000n,
      audio_cache_read: 3_000_000_000n,
      audio_output: 20_000_000_000n,
    };
    const tokens = model?.pricing.tokens;
    expect([tokens, tokens?.service_tiers.flex, tokens?.long_context]).toEqual([
      expect.objectContaining(read),
      expect.objectContaining(read),
      expect.objectContaining(read),
    ]);
  });

  test.each<[string, object, RegExp]>([
    ['cached audio without audio', { audio_cache_read: '1' }, /audio_cache_read needs audio_input/],
    [
      'cached audio without audio in a service tier',
      { audio_input: '1', service_tiers: { flex: { input: '1', output: '1', audio_cache_read: '1' } } },
      /audio_cache_read needs audio_input/,
    ],
    [
      'audio in short prompts only',
      { audio_input: '1', long_context: { above_tokens: 9, input: '2', output: '2' } },
      /long_context needs audio_input/,
    ],
    [
      'spoken replies to short prompts only',
      { audio_output: '1', long_context: { above_tokens: 9, input: '2', output: '2' } },
      /long_context needs audio_output/,
    ],
  ])('are refused: %s', async (_, tokens, problem) => {
    await audioOf(tokens).catch(() => {});
    expect((await problems()).join()).toMatch(problem);
  });
});
