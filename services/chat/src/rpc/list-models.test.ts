import type { LinkCall } from '@gateway/link';
import type { Model, Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { RequestContext } from '@gateway/rpc';
import { describe, expect, test } from '@jest/globals';
import { fromProtoModel } from '../clients/from-proto-model';
import { getModel, listModels, type ModelListDeps } from './list-models';

const RATES = { serviceTiers: {}, longContextAboveTokens: 0, longContext: null, unitNano: {} };
const IMAGE = { sizes: ['1024x1024'], sizeRule: null, qualities: ['low'], formats: ['png'], maxN: 2 };
const VIDEO = { durations: [4, 8], aspectRatios: ['16:9'], tiers: {} };

function entry(slug: string, output: string, more: Model = {}) {
  const pricing = {
    version: '7',
    source: 'a confidential contract',
    sourceDate: '2026-01-01',
    tokens:
      output === 'text'
        ? { ...RATES, inputNano: '75000000', outputNano: '1000000000' }
        : output === 'embedding'
          ? { ...RATES, inputNano: '20000000' }
          : null,
    image: output === 'image' ? { perImage: [{ size: '', quality: 'low', priceNano: '10000000' }] } : null,
    audio: output === 'speech' ? { millionCharactersNano: '15' } : null,
    video:
      output === 'video' ? { tiers: ['std'], defaultTier: 'std', perSecondNano: { std: '50000000' } } : null,
  };
  return fromProtoModel({
    slug,
    name: `The ${output} model`,
    aliases: slug === 'sim/image' ? ['sim/image-2026-01-01', 'picture'] : [],
    status: 'MODEL_STATUS_ACTIVE',
    preview: false,
    successor: '',
    inputModalities: ['text'],
    outputModalities: [output],
    contextLength: output === 'text' ? 1_000 : 0,
    maxOutputTokens: output === 'text' ? 100 : 0,
    outputFloorTokens: 1,
    maxImageTokens: 0,
    capabilities: output === 'text' ? ['tools'] : [],
    workflow: output === 'video' ? ['create', 'status', 'result'] : [],
    targets: [{ provider: slug.slice(0, slug.indexOf('/')), upstreamModel: 'secret-deployment' }],
    createdAtMs: '1767225600000',
    image: output === 'image' ? IMAGE : null,
    video: output === 'video' ? VIDEO : null,
    pricing,
    ...more,
  } as unknown as Model__Output);
}

const MODELS = [
  entry('elsewhere/chat', 'text'),
  entry('elsewhere/image', 'image'),
  entry('sim/chat', 'text'),
  entry('sim/embedding', 'embedding'),
  entry('sim/disabled', 'image', { status: 'MODEL_STATUS_DISABLED' }),
  entry('sim/image', 'image'),
  entry('sim/speech', 'speech'),
  entry('sim/preview', 'video', { preview: true }),
  entry('sim/unpriced', 'image', { pricing: null }),
  entry('sim/video', 'video'),
];
const deps: ModelListDeps = {
  models: {
    loaded: true,
    get: (name) => MODELS.find(({ slug, aliases }) => slug === name || aliases.includes(name)),
    all: () => MODELS,
  },
  providers: new Map([['sim', {}]]),
  isMediaProvider: (provider) => provider === 'sim',
  admission: { admitFree: async () => ({}) },
};
const KEY = { allowedModels: [] as string[], previewModels: [] as string[] };
const ANTHROPIC = { 'anthropic-version': '2023-06-01' };

async function ask(handler: typeof listModels, call: Partial<LinkCall>) {
  const whole = { method: 'GET', path: '/v1/models', headers: {}, key: KEY, ...call } as LinkCall;
  const { body } = await handler(deps)({} as RequestContext, whole);
  return JSON.parse(String(body));
}
const list = async (query = '', more: Partial<LinkCall> = {}): Promise<string[]> =>
  (await ask(listModels, { query, ...more })).data.map(({ id }: { id: string }) => id);

describe('GET /v1/models', () => {
  test('lists chat, embedding, image and video models that are active, priced and served', async () => {
    expect(await list()).toEqual(['sim/chat', 'sim/embedding', 'sim/image', 'sim/speech', 'sim/video']);
  });

  test.each([
    ['chat', ['sim/chat']],
    ['image', ['sim/image']],
    ['video', ['sim/video']],
    ['embedding', ['sim/embedding']],
    ['speech', ['sim/speech']],
  ])('filters by type=%s', async (type, slugs) => {
    expect(await list(`type=${type}`)).toEqual(slugs);
  });

  test.each(['audio', '', 'Chat'])('refuses the filter type=%j', async (type) => {
    await expect(list(`type=${type}`)).rejects.toMatchObject({
      code: 'invalid_request',
      detail: 'type: must be one of chat, image, video, embedding, moderation, rerank, speech, transcription',
    });
  });

  test('shows previews that the account opted in to, and nothing outside the allowlist', async () => {
    const key = { ...KEY, previewModels: ['sim/preview'] } as LinkCall['key'];
    expect(await list('type=video', { key })).toEqual(['sim/preview', 'sim/video']);
    const narrow = { ...KEY, allowedModels: ['sim/image', 'sim/preview'] } as LinkCall['key'];
    expect(await list('', { key: narrow })).toEqual(['sim/image']);
  });

  test("lists only chat models in Anthropic's format", async () => {
    expect(await list('', { headers: ANTHROPIC })).toEqual(['sim/chat']);
    expect(await list('type=image', { headers: ANTHROPIC })).toEqual([]);
  });

  test('describes a chat model by its limits and prices in USD', async () => {
    const [chat] = (await ask(listModels, { query: 'type=chat' })).data;
    expect(chat).toEqual({
      id: 'sim/chat',
      object: 'model',
      created: 1767225600,
      owned_by: 'sim',
      name: 'The text model',
      aliases: [],
      preview: false,
      input_modalities: ['text'],
      output_modalities: ['text'],
      context_length: 1_000,
      max_output_tokens: 100,
      capabilities: ['tools'],
      pricing: { currency: 'USD', tokens: { input: 0.075, output: 1, service_tiers: {}, units: {} } },
      image: null,
      video: null,
    });
  });

  test('never shows upstream targets or price sources', async () => {
    expect(JSON.stringify(await ask(listModels, {}))).not.toMatch(/secret|contract/);
  });
});

describe('GET /v1/models/{slug}', () => {
  const get = (slug: string, headers = {}, key: object = KEY) =>
    ask(getModel, { path: `/v1/models/${slug}`, headers, key: key as LinkCall['key'] });

  test('answers an alias with its model, under the canonical id', async () => {
    const image = { id: 'sim/image', aliases: ['sim/image-2026-01-01', 'picture'] };
    expect(await get('sim/image-2026-01-01')).toMatchObject(image);
    await expect(get('picture')).rejects.toMatchObject({ code: 'model_not_found' });
    expect(await get('picture', {}, { ...KEY, bareModelNames: true })).toMatchObject(image);
  });

  test('describes an image model by its sizes and prices', async () => {
    expect(await get('sim/image')).toMatchObject({
      id: 'sim/image',
      context_length: null,
      max_output_tokens: null,
      image: { sizes: ['1024x1024'], qualities: ['low'], formats: ['png'], max_n: 2 },
      pricing: { image: { per_image: [{ size: '', quality: 'low', price: 0.01 }] } },
    });
  });

  test('describes a video model by its durations, tiers and prices', async () => {
    expect(await get('sim%2Fvideo')).toMatchObject({
      id: 'sim/video',
      video: { durations: [4, 8], aspect_ratios: ['16:9'] },
      pricing: { video: { tiers: ['std'], default_tier: 'std', per_second: { std: 0.05 } } },
    });
  });

  test.each(['sim/preview', 'sim/disabled', 'sim/unpriced', 'elsewhere/image', 'sim/none', '%'])(
    'answers model_not_found for %s',
    async (slug) => {
      await expect(get(slug)).rejects.toMatchObject({ code: 'model_not_found' });
    },
  );

  test("answers model_not_found for an image model in Anthropic's format", async () => {
    await expect(get('sim/image', ANTHROPIC)).rejects.toMatchObject({ code: 'model_not_found' });
    expect(await get('sim/chat', ANTHROPIC)).toMatchObject({ type: 'model', id: 'sim/chat' });
  });
});
