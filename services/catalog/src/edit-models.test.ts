import type { RunningService } from '@gateway/process';
import type { Model, Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { WatchResponse__Output } from '@gateway/proto/generated/gateway/catalog/v1/WatchResponse';
import { callUnary } from '@gateway/rpc';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type CatalogWorld, startCatalogWorld } from './testing/catalog-fixture';

jest.setTimeout(30_000);

const TIMEOUT = { timeoutMs: 5_000 };
let world: CatalogWorld;
let instances: RunningService[];
let operator: ReturnType<CatalogWorld['connect']>;

/** Returns a slug that no other test uses, because all tests share two instances. */
let fresh: string;
let tests = 0;

beforeAll(async () => {
  world = await startCatalogWorld();
  instances = [await world.startCatalog(), await world.startCatalog()];
  operator = world.connect(instances[0]!, 'dashboard');
});
beforeEach(() => {
  tests += 1;
  fresh = `sim/fresh-${tests}`;
});
afterAll(async () => {
  await world?.cleanUp();
  await world?.drop();
});

const PRICING = {
  source: 'a contract',
  sourceDate: '2026-02-01',
  tokens: {
    inputNano: '75000000',
    outputNano: '1',
    cacheWriteLongNano: '3',
    unitNano: { web_search: '10000000' },
    serviceTiers: { flex: { inputNano: '1', outputNano: '1' } },
    longContextAboveTokens: 500,
    longContext: { inputNano: '2', outputNano: '999999999999999999' },
  },
};
const chat = (slug: string, more: Model = {}): Model => ({
  slug,
  name: 'A model',
  inputModalities: ['text', 'image'],
  outputModalities: ['text'],
  contextLength: 1_000,
  maxOutputTokens: 100,
  outputFloorTokens: 10,
  maxImageTokens: 0,
  capabilities: ['tools'],
  targets: [
    { provider: 'sim', upstreamModel: 'x', weight: 2, priority: 1 },
    { provider: 'sim', upstreamModel: 'y' },
  ],
  pricing: PRICING,
  ...more,
});
const create = (model: Model) => callUnary(operator, operator.CreateModel, { model }, TIMEOUT);
const update = (model: Model) => callUnary(operator, operator.UpdateModel, { model }, TIMEOUT);
const setPricing = (slug: string, pricing: NonNullable<Model['pricing']>, ifVersion?: string) =>
  callUnary(operator, operator.SetPricing, { slug, pricing, ...(ifVersion && { ifVersion }) }, TIMEOUT);
const setStatus = (slug: string, status: Model['status'], successor = '') =>
  callUnary(operator, operator.SetModelStatus, { slug, status: status!, successor }, TIMEOUT);
const revision = async () => (await world.query('SELECT value FROM catalog.revision')).rows[0].value;

/** Watches each instance and skips everything that is already written. */
async function watchBoth() {
  const now = BigInt(await revision());
  const watchers = instances.map((instance) => world.watch(instance));
  for (const watcher of watchers) {
    while (BigInt((await watcher.next()).revision) < now);
  }
  return watchers;
}
const onlyModel = ({ snapshot, models }: WatchResponse__Output): Model__Output => {
  expect(snapshot).toBe(false);
  expect(models).toHaveLength(1);
  return models[0]!;
};

test('a new model is pushed by every instance as returned to the operator', async () => {
  const watchers = await watchBoth();
  const made = await create(chat(fresh, { successor: 'sim/chat', preview: true }));
  expect(made).toMatchObject({
    slug: fresh,
    status: 'MODEL_STATUS_ACTIVE',
    preview: true,
    successor: 'sim/chat',
    inputModalities: ['text', 'image'],
    outputFloorTokens: 10,
    maxImageTokens: 0,
    targets: [
      { provider: 'sim', upstreamModel: 'x', weight: 2, priority: 1 },
      { provider: 'sim', upstreamModel: 'y', weight: 1, priority: 0 },
    ],
    pricing: {
      source: 'a contract',
      sourceDate: '2026-02-01',
      tokens: {
        inputNano: '75000000',
        outputNano: '1',
        longContextAboveTokens: 500,
        cacheWriteLongNano: '3',
        unitNano: { web_search: '10000000' },
        longContext: { outputNano: '999999999999999999' },
        serviceTiers: { flex: { inputNano: '1', outputNano: '1' } },
      },
    },
  });
  for (const watcher of watchers) expect(onlyModel(await watcher.next())).toEqual(made);
});

const IMAGE: NonNullable<Model['image']> = {
  sizes: ['1024x1024'],
  sizeRule: { stepPx: 16, maxEdgePx: 3_840, maxRatio: 3, minPixels: '655360', maxPixels: '8294400' },
  defaultSize: '512x512',
  qualities: ['low'],
  defaultQuality: 'low',
  formats: ['png'],
  maxN: 2,
  maxInputImages: 16,
  mask: true,
  transparent: true,
  outputTokens: [{ size: '', quality: 'low', tokens: 272 }],
  outputTokensByArea: true,
  textOutputTokens: 5,
  maxPromptChars: 6,
};
const VIDEO: NonNullable<Model['video']> = {
  durations: [4, 8],
  minDuration: 0,
  maxDuration: 0,
  defaultDuration: 8,
  aspectRatios: ['16:9'],
  defaultAspectRatio: '16:9',
  maxReferenceImages: 3,
  maxPromptChars: 7,
  tiers: { '4k': { resolution: '4k', durations: [8] } },
};
const media = (slug: string, more: Model = {}): Model => ({
  slug,
  name: 'A model',
  inputModalities: ['text'],
  outputModalities: ['image', 'video'],
  workflow: ['create'],
  targets: [{ provider: 'sim', upstreamModel: 'x' }],
  image: IMAGE,
  video: VIDEO,
  pricing: {
    ...PRICING,
    tokens: null,
    image: { textInputNano: '1', imageOutputNano: '2', textOutputNano: '3' },
    video: { tiers: ['4k', '720p'], perSecondNano: { '4k': '1', '720p': '1' } },
  },
  ...more,
});

test('a price of input megapixels requires prices per image', async () => {
  const entry = media(fresh);
  const priced = (image: object) => ({ ...entry, pricing: { ...entry.pricing, image } });
  const perImage = [{ size: '', quality: '', priceNano: '4' }];
  const made = await create(priced({ perImage, inputMegapixelNano: '5' }));
  expect(made).toMatchObject({ pricing: { image: { perImage, inputMegapixelNano: '5' } } });
  const alone = { ...priced({ imageOutputNano: '2', inputMegapixelNano: '5' }), slug: `${fresh}-other` };
  await expect(create(alone)).rejects.toMatchObject({
    code: 'invalid_request',
    detail: expect.stringContaining('input_megapixel'),
  });
});

test('the features of image and video models are stored and returned unchanged', async () => {
  const made = await create(media(fresh));
  expect(made).toMatchObject({ image: IMAGE, video: VIDEO, pricing: { image: { textOutputNano: '3' } } });
  const before = await revision();
  const same = await update(media(fresh));
  expect(same).toEqual(made);
  expect(await revision()).toEqual(before);
  const changed = await update(
    media(fresh, { image: { ...IMAGE, maxN: 5, sizeRule: null, defaultSize: '' } }),
  );
  expect(changed).toMatchObject({ image: { maxN: 5, sizeRule: null }, video: VIDEO });
  // An older dashboard does not send the field.
  const { image: _image, video: _video, ...older } = media(fresh, { name: 'Renamed' });
  expect(await update(older)).toMatchObject({ name: 'Renamed', image: { maxN: 5 }, video: VIDEO });
  const clear = { model: older, clearImage: true };
  const cleared = await callUnary(operator, operator.UpdateModel, clear, TIMEOUT);
  expect(cleared).toMatchObject({ image: null, video: VIDEO });
});

test.each<[string, Model]>([
  ['image.default_size: is not one of the sizes', { image: { ...IMAGE, sizeRule: null } }],
  ['image.default_quality: is not one of the qualities', { image: { ...IMAGE, defaultQuality: 'high' } }],
  ['image.mask: requires max_input_images', { image: { ...IMAGE, maxInputImages: 0 } }],
  ['image.formats.0', { image: { ...IMAGE, formats: ['bmp'] } }],
  ['image: images priced by tokens need output_tokens', { image: { ...IMAGE, outputTokens: [] } }],
  ['video.default_duration: is not one of the durations', { video: { ...VIDEO, defaultDuration: 5 } }],
  ['image: requires the output modality image', { outputModalities: ['video'] }],
])('inconsistent features are refused: %s', async (detail, more) => {
  await expect(create(media(fresh, more))).rejects.toMatchObject({
    code: 'invalid_request',
    detail: expect.stringContaining(detail),
  });
});

describe('fallback models', () => {
  const setFallbacks = (slug: string, fallbackModels: string[]) =>
    callUnary(
      operator,
      operator.UpdateModel,
      { model: chat(slug, { fallbackModels }), setFallbackModels: true },
      TIMEOUT,
    );

  test('are kept in their order, and unchanged by an update that does not set them', async () => {
    const made = await create(chat(fresh, { fallbackModels: ['sim/preview', 'sim/chat'] }));
    expect(made?.fallbackModels).toEqual(['sim/preview', 'sim/chat']);
    expect((await update(chat(fresh, { name: 'Renamed' })))?.fallbackModels).toEqual([
      'sim/preview',
      'sim/chat',
    ]);
    expect((await setFallbacks(fresh, []))?.fallbackModels).toEqual([]);
  });

  test('must be other chat models that are not delisted, at most three', async () => {
    await create(chat(fresh));
    await create(chat(`${fresh}-old`));
    await setStatus(`${fresh}-old`, 'MODEL_STATUS_DELISTED');
    for (const [slugs, detail] of [
      [['sim/nowhere'], 'fallback_models: sim/nowhere does not exist'],
      [['sim/\0'], 'fallback_models: sim/\0 does not exist'],
      [[`${fresh}-old`], `fallback_models: ${fresh}-old is delisted`],
      [['sim/image'], 'fallback_models: sim/image is not a chat model'],
      [[fresh], 'fallback_models: contains the model itself'],
      [['sim/chat', 'sim/chat'], 'fallback_models: contains duplicates'],
      [['a/1', 'a/2', 'a/3', 'a/4'], 'fallback_models: Too big: expected array to have <=3 items'],
    ] as const) {
      await expect(setFallbacks(fresh, [...slugs])).rejects.toMatchObject({
        code: 'invalid_request',
        detail,
      });
    }
  });

  test('that are delisted later do not prevent other changes', async () => {
    await create(chat(`${fresh}-old`));
    await create(chat(fresh, { fallbackModels: [`${fresh}-old`] }));
    await setStatus(`${fresh}-old`, 'MODEL_STATUS_DELISTED');
    expect((await update(chat(fresh, { name: 'Renamed' })))?.name).toBe('Renamed');
  });
});

describe('aliases', () => {
  const setAliases = (slug: string, aliases: string[]) =>
    callUnary(operator, operator.UpdateModel, { model: chat(slug, { aliases }), setAliases: true }, TIMEOUT);

  test('are pushed with the model, and replaced by an update that sets them', async () => {
    const made = await create(chat(fresh, { aliases: [`${fresh}-2026-01-01`, `Bare-${tests}`] }));
    expect(made?.aliases).toEqual([`${fresh}-2026-01-01`, `Bare-${tests}`]);
    const watchers = await watchBoth();
    const changed = await setAliases(fresh, [`${fresh}-latest`]);
    expect(changed?.aliases).toEqual([`${fresh}-latest`]);
    for (const watcher of watchers) expect(onlyModel(await watcher.next())).toEqual(changed);
    // An older dashboard does not send the field.
    expect((await update(chat(fresh, { name: 'Renamed' })))?.aliases).toEqual([`${fresh}-latest`]);
    // A removed alias can be used again.
    expect(await create(chat(`${fresh}-2026-01-01`))).toMatchObject({ slug: `${fresh}-2026-01-01` });
  });

  test('that name another model are refused, and so is a slug that is an alias', async () => {
    await create(chat(fresh, { aliases: [`${fresh}-old`] }));
    await create(chat(`${fresh}-other`));
    const before = await revision();
    for (const [name, owner] of [
      [`${fresh}-old`, fresh],
      ['sim/chat', 'sim/chat'],
    ] as const) {
      await expect(setAliases(`${fresh}-other`, [name])).rejects.toMatchObject({
        code: 'invalid_request',
        detail: `aliases: ${name} is already used by ${owner}`,
      });
    }
    await expect(create(chat(`${fresh}-old`))).rejects.toMatchObject({
      code: 'invalid_request',
      detail: `slug: ${fresh}-old is already used by ${fresh}`,
    });
    expect(await revision()).toBe(before);
  });

  test('are unique by a database constraint', async () => {
    await create(chat(fresh, { aliases: [`${fresh}-old`] }));
    const steal = `UPDATE catalog.models SET aliases = $1 WHERE slug = 'sim/preview'`;
    for (const name of [`${fresh}-old`, fresh]) {
      await expect(world.query(steal, [[name]])).rejects.toMatchObject({ constraint: 'model_names_pkey' });
    }
  });

  test('go to one of two models that claim the same name concurrently through both instances', async () => {
    const other = world.connect(instances[1]!, 'dashboard');
    const answers = await Promise.allSettled(
      [operator, other].map((client, index) => {
        const model = chat(`${fresh}-${index}`, { aliases: [`${fresh}-shared`] });
        return callUnary(client, client.CreateModel, { model }, TIMEOUT);
      }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

test('creating an existing model is refused, also for concurrent calls, and nothing is pushed', async () => {
  const before = await revision();
  const other = world.connect(instances[1]!, 'dashboard');
  const request = { model: chat(fresh) };
  const answers = await Promise.allSettled([
    create(request.model),
    callUnary(other, other.CreateModel, request, TIMEOUT),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await expect(create(chat('sim/chat'))).rejects.toMatchObject({
    code: 'invalid_request',
    detail: 'slug: sim/chat already exists',
  });
  expect(BigInt(await revision())).toBe(BigInt(before) + 1n);
});

test('an update replaces the entry except its status and prices; repeating it changes nothing', async () => {
  const made = await create(chat(fresh));
  await setStatus(fresh, 'MODEL_STATUS_DISABLED');
  const watchers = await watchBoth();
  const next = chat(fresh, {
    name: 'Renamed',
    capabilities: [],
    maxOutputTokens: 50,
    status: 'MODEL_STATUS_ACTIVE',
    pricing: { source: 'x', sourceDate: '2026-01-01' },
  });
  const updated = await update(next);
  expect(updated).toEqual({
    ...made,
    name: 'Renamed',
    capabilities: [],
    maxOutputTokens: 50,
    status: 'MODEL_STATUS_DISABLED',
  });
  for (const watcher of watchers) expect(onlyModel(await watcher.next())).toEqual(updated);
  const before = await revision();
  expect(await update(next)).toEqual(updated);
  expect(await revision()).toBe(before);
});

test('new prices create a version and keep the old one; equal prices create none', async () => {
  const made = await create(chat(fresh));
  const watchers = await watchBoth();
  const pricing = { ...PRICING, tokens: { inputNano: '5', outputNano: '6' } };
  const priced = await setPricing(fresh, pricing);
  expect(Number(priced?.pricing?.version)).toBeGreaterThan(Number(made?.pricing?.version));
  expect(priced?.pricing?.tokens).toMatchObject({ inputNano: '5', outputNano: '6', longContext: null });
  for (const watcher of watchers) expect(onlyModel(await watcher.next())).toEqual(priced);
  expect(await setPricing(fresh, pricing)).toEqual(priced);
  const { rows } = await world.query(
    `SELECT pricing->'tokens'->>'input' AS input FROM catalog.price_versions WHERE slug = $1 ORDER BY version`,
    [fresh],
  );
  expect(rows).toEqual([{ input: '75000000' }, { input: '5' }]);
});

test('prices based on an outdated version are refused with the current version', async () => {
  const made = await create(chat(fresh));
  const begun = made!.pricing!.version;
  const pricing = (inputNano: string) => ({ ...PRICING, tokens: { inputNano, outputNano: '6' } });
  const priced = await setPricing(fresh, pricing('5'), begun);
  const current = priced!.pricing!.version;
  expect(priced?.pricing?.tokens).toMatchObject({ inputNano: '5' });
  const before = await revision();
  await expect(setPricing(fresh, pricing('7'), begun)).rejects.toMatchObject({
    code: 'invalid_request',
    detail: `if_version: prices have changed; the current version is ${current}`,
  });
  expect(await revision()).toBe(before);
  // The caller repeats the request because its response was lost.
  expect(await setPricing(fresh, pricing('5'), begun)).toEqual(priced);
  expect((await setPricing(fresh, pricing('7'), current))?.pricing?.tokens).toMatchObject({ inputNano: '7' });
  // Without a version, the change applies to any version.
  expect((await setPricing(fresh, pricing('8')))?.pricing?.tokens).toMatchObject({ inputNano: '8' });
});

test('one of two concurrent price changes of the same version succeeds', async () => {
  const made = await create(chat(fresh));
  const other = world.connect(instances[1]!, 'dashboard');
  const answers = await Promise.allSettled(
    [operator, other].map((client, index) => {
      const pricing = { ...PRICING, tokens: { inputNano: `${index}`, outputNano: '6' } };
      const request = { slug: fresh, pricing, ifVersion: made!.pricing!.version };
      return callUnary(client, client.SetPricing, request, TIMEOUT);
    }),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('prices of images and videos are stored and returned unchanged', async () => {
  const image = {
    source: 'x',
    sourceDate: '2026-02-01',
    image: {
      perImage: [
        { size: '1024x1024', quality: 'low', priceNano: '10000000' },
        { size: '', quality: '', priceNano: '1' },
      ],
      imageOutputNano: '40000000000',
    },
  };
  expect((await setPricing('sim/image', image))?.pricing).toMatchObject({ ...image, tokens: null });
  const video = {
    source: 'x',
    sourceDate: '2026-02-01',
    video: { tiers: ['Std', 'std'], defaultTier: 'Std', perSecondNano: { Std: '1', std: '2' } },
  };
  expect((await setPricing('sim/video', video))?.pricing).toMatchObject(video);
});

test('a model can be disabled, delisted with a successor, and reactivated', async () => {
  const watchers = await watchBoth();
  const steps: [Model['status'], string, string][] = [
    ['MODEL_STATUS_DISABLED', '', ''],
    ['MODEL_STATUS_DELISTED', 'sim/chat', 'sim/chat'],
    ['MODEL_STATUS_DELISTED', 'sim/preview', 'sim/preview'],
    ['MODEL_STATUS_ACTIVE', '', 'sim/preview'],
  ];
  for (const [status, given, successor] of steps) {
    const changed = await setStatus('sim/unreachable', status, given);
    expect(changed).toMatchObject({ status, successor });
    for (const watcher of watchers) expect(onlyModel(await watcher.next())).toEqual(changed);
  }
  const before = await revision();
  await setStatus('sim/unreachable', 'MODEL_STATUS_ACTIVE');
  expect(await revision()).toBe(before);
});

test('concurrent changes through both instances are all kept', async () => {
  const other = world.connect(instances[1]!, 'dashboard');
  const clients = [operator, other];
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => {
      const client = clients[index % 2]!;
      return callUnary(client, client.CreateModel, { model: chat(`${fresh}-${index}`) }, TIMEOUT);
    }),
  );
  const now = BigInt(await revision());
  for (const instance of instances) {
    const watcher = world.watch(instance);
    const made = new Set<string>();
    for (let seen = -1n; seen < now; ) {
      const message = await watcher.next();
      for (const { slug } of message.models) if (slug.startsWith(`${fresh}-`)) made.add(slug);
      seen = BigInt(message.revision);
    }
    expect(made.size).toBe(20);
  }
});

describe('an invalid change is rejected and changes nothing:', () => {
  const newModel: Model = chat('sim/new');
  test.each<[string, () => Promise<unknown>, RegExp]>([
    ['a slug with two slashes', () => create(chat('a/b/c')), /^slug: /],
    ['a slug in capitals', () => create(chat('Sim/New')), /^slug: /],
    ['no name', () => create(chat('sim/new', { name: '' })), /^name: /],
    ['a name with a NUL', () => create(chat('sim/new', { name: 'a\0b' })), /^name: /],
    [
      'an unknown modality',
      () => create(chat('sim/new', { outputModalities: ['smell'] })),
      /^output_modalities/,
    ],
    [
      'a duplicate modality',
      () => create(chat('sim/new', { inputModalities: ['text', 'text'] })),
      /^input_modalities/,
    ],
    ['no prices', () => create({ ...newModel, pricing: null }), /pricing/],
    ['no targets', () => create(chat('sim/new', { targets: [] })), /^targets: /],
    ['a model as its own successor', () => create(chat('sim/new', { successor: 'sim/new' })), /^successor: /],
    ['an unlisted successor', () => create(chat('sim/new', { successor: 'sim/none' })), /does not exist/],
    [
      'a delisted successor',
      () => create(chat('sim/new', { successor: 'sim/delisted' })),
      /sim\/delisted is delisted/,
    ],
    [
      'a floor above the maximum',
      () => update(chat('sim/chat', { outputFloorTokens: 101 })),
      /^output_floor_tokens/,
    ],
    [
      'images without a price',
      () => update(chat('sim/chat', { outputModalities: ['image'] })),
      /image prices/,
    ],
    [
      'a negative price',
      () => setPricing('sim/chat', { ...PRICING, tokens: { inputNano: '-1', outputNano: '1' } }),
      /tokens\.input/,
    ],
    [
      'a price above the maximum',
      () =>
        setPricing('sim/chat', { ...PRICING, tokens: { inputNano: '1000000000000000000', outputNano: '1' } }),
      /tokens\.input/,
    ],
    [
      'chat without an output price',
      () => setPricing('sim/chat', { ...PRICING, tokens: { inputNano: '1' } }),
      /input and output/,
    ],
    ['no source', () => setPricing('sim/chat', { ...PRICING, source: '' }), /source/],
    [
      'an invalid date',
      () => setPricing('sim/chat', { ...PRICING, sourceDate: '2026-02-30' }),
      /source_date/,
    ],
    [
      'video tiers without a price',
      () => setPricing('sim/video', { source: 'x', sourceDate: '2026-01-01', video: { tiers: ['a'] } }),
      /without a price/,
    ],
    ['no status', () => setStatus('sim/chat', 'MODEL_STATUS_UNSPECIFIED'), /status/],
    [
      'delisting with itself as successor',
      () => setStatus('sim/chat', 'MODEL_STATUS_DELISTED', 'sim/chat'),
      /^successor: /,
    ],
  ])('%s', async (_what, call, detail) => {
    const before = await revision();
    await expect(call()).rejects.toMatchObject({
      code: 'invalid_request',
      detail: expect.stringMatching(detail),
    });
    expect(await revision()).toBe(before);
  });

  test.each(['sim/none', '', 'a\0b'])('a change of the unknown model %p', async (slug) => {
    const missing = { code: 'model_not_found' };
    await expect(update(chat(slug))).rejects.toMatchObject(missing);
    await expect(setStatus(slug, 'MODEL_STATUS_ACTIVE')).rejects.toMatchObject(missing);
    await expect(setPricing(slug, PRICING)).rejects.toMatchObject(missing);
  });

  test.each(['chat', 'edge', 'media', 'billing'] as const)(
    'a call by %s instead of the dashboard',
    async (caller) => {
      const client = world.connect(instances[0]!, caller);
      const request = { model: chat('sim/new') };
      await expect(callUnary(client, client.CreateModel, request, TIMEOUT)).rejects.toMatchObject({
        code: 'internal_error',
        cause: { code: 16 },
      });
    },
  );
});

test('a change whose notification was lost is found by polling', async () => {
  const watchers = await watchBoth();
  await world.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'catalog change listener' AND datname = current_database()`,
  );
  const changed = await setStatus('sim/chat', 'MODEL_STATUS_DISABLED');
  for (const watcher of watchers) expect(onlyModel(await watcher.next())).toEqual(changed);
});
