import type { RunningService } from '@gateway/process';
import { callUnary } from '@gateway/rpc';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type CatalogWorld, startCatalogWorld } from './testing/catalog-fixture';

jest.setTimeout(30_000);

const TIMEOUT = { timeoutMs: 5_000 };

let world: CatalogWorld;
let catalog: RunningService;
let client: ReturnType<CatalogWorld['connect']>;
beforeAll(async () => {
  world = await startCatalogWorld();
  catalog = await world.startCatalog(undefined, { PRICE_LIST: 'none' });
  client = world.connect(catalog, 'dashboard');
});
afterAll(async () => {
  await world?.cleanUp();
  await world?.drop();
});

const apply = async (config: object, dryRun = false) => {
  const request = { configJson: JSON.stringify(config), dryRun };
  const { problems, changes, applied } = await callUnary(client, client.ApplyConfig, request, TIMEOUT);
  return {
    problems,
    applied,
    changes: changes.map(({ path, fromJson, toJson }) => [path, fromJson, toJson]),
  };
};
const providers = async () => (await callUnary(client, client.ListProviders, {}, TIMEOUT)).providers;

const PROVIDER = {
  id: 'vllm',
  kind: 'openai',
  base_url: 'http://10.0.0.1:8000/v1',
  credentials: [
    { name: 'main', secret_ref: 'env:CREDENTIAL_A', weight: 3 },
    { name: 'spare', secret_ref: 'file:spare', enabled: false },
  ],
};
const MODEL = {
  slug: 'vllm/m',
  name: 'Model M',
  input_modalities: ['text'],
  output_modalities: ['text'],
  context_length: 8_000,
  max_output_tokens: 1_000,
  strategy: 'least-busy',
  targets: [{ provider: 'vllm', upstream_model: 'm', cost: { input: 0.1, output: 0.2 } }],
  pricing: { source: 'us', source_date: '2026-01-01', tokens: { input: 0.5, output: '1.5' } },
};

test('a configuration with a loopback address is refused, unless PROVIDER_LOCAL_ADDRESSES allows it', async () => {
  const config = { providers: [{ ...PROVIDER, base_url: 'http://localhost:11434/v1' }] };
  expect(await apply(config, true)).toMatchObject({
    problems: [{ path: 'providers[0].base_url', message: 'must not be a loopback or metadata address' }],
  });
  const allowing = world.connect(
    await world.startCatalog(undefined, { PRICE_LIST: 'none', PROVIDER_LOCAL_ADDRESSES: 'allow' }),
    'dashboard',
  );
  const request = { configJson: JSON.stringify(config), dryRun: true };
  expect((await callUnary(allowing, allowing.ApplyConfig, request, TIMEOUT)).problems).toEqual([]);
});

test('a configuration is compared, applied as a whole, and applied again without a change', async () => {
  const config = { providers: [PROVIDER], models: [MODEL] };
  const planned = await apply(config, true);
  expect(planned).toMatchObject({ problems: [], applied: false });
  expect(planned.changes.map(([path]) => path)).toEqual(['providers.vllm', 'models.vllm/m']);
  expect(await providers()).toEqual([]);

  expect(await apply(config)).toEqual({ ...planned, applied: true });
  expect(await providers()).toMatchObject([
    {
      id: 'vllm',
      name: 'vllm',
      credentials: [
        { name: 'main', hint: 'env:CREDENTIAL_A', weight: 3, enabled: true },
        { name: 'spare', hint: 'file:spare', weight: 1, enabled: false },
      ],
    },
  ]);
  const { models } = await world.watch(catalog).next();
  expect(models.find(({ slug }) => slug === 'vllm/m')).toMatchObject({
    strategy: 'least-busy',
    targets: [{ provider: 'vllm', cost: { inputNano: '100000000', outputNano: '200000000' } }],
    pricing: { tokens: { inputNano: '500000000', outputNano: '1500000000' } },
  });
  expect(await apply(config)).toEqual({ problems: [], applied: true, changes: [] });
});

test('changes are listed member by member, and credentials that the file no longer has are deleted', async () => {
  const [before] = await providers();
  const changed = {
    ...PROVIDER,
    name: 'A vLLM server',
    credentials: [{ name: 'main', secret_ref: 'env:CREDENTIAL_B', weight: 3 }],
  };
  const repriced = { ...MODEL, pricing: { ...MODEL.pricing, tokens: { input: 0.6, output: 1.5 } } };
  const { changes } = await apply({ providers: [changed], models: [repriced] });
  expect(changes).toEqual([
    ['providers.vllm.name', '"vllm"', '"A vLLM server"'],
    ['providers.vllm.credentials.main.secret', '"env:CREDENTIAL_A"', '"env:CREDENTIAL_B"'],
    ['providers.vllm.credentials.spare', expect.stringContaining('file:spare'), ''],
    ['models.vllm/m.pricing.tokens.input', '"0.5"', '"0.6"'],
  ]);
  const [after] = await providers();
  expect(after).toMatchObject({
    name: 'A vLLM server',
    credentials: [{ name: 'main', hint: 'env:CREDENTIAL_B' }],
  });
  expect(after!.credentials[0]!.id).toBe(before!.credentials[0]!.id);
});

test('the daily cost limit of a credential is an exact amount of USD, and is removed with its line', async () => {
  const withLimit = (limit: object) => ({
    providers: [{ ...PROVIDER, id: 'paid', credentials: [{ ...PROVIDER.credentials[0], ...limit }] }],
  });
  await apply(withLimit({ daily_cost_limit: '12.50' }));
  const stored = async () => (await providers()).find(({ id }) => id === 'paid')!.credentials[0]!.limits;
  expect(await stored()).toMatchObject({ costPerDayNano: '12500000000' });
  expect((await apply(withLimit({ daily_cost_limit: 12.5 }))).changes).toEqual([]);
  expect((await apply(withLimit({}))).changes).toEqual([
    ['providers.paid.credentials.main.daily_cost_limit', '"12.5"', ''],
  ]);
  expect((await stored())!.costPerDayNano).toBeUndefined();
  for (const limit of [0, -1, 'ten', '0.0000000001']) {
    expect(await apply(withLimit({ daily_cost_limit: limit }))).toMatchObject({
      applied: false,
      problems: [{ path: 'providers[0].credentials[0].daily_cost_limit' }],
    });
  }
  await callUnary(client, client.DeleteProvider, { id: 'paid' }, TIMEOUT);
});

test('what the file does not name stays', async () => {
  expect(await apply({})).toEqual({ problems: [], applied: true, changes: [] });
  expect(await apply({ providers: [{ id: 'other', kind: 'anthropic' }] })).toMatchObject({ applied: true });
  expect((await providers()).map(({ id }) => id)).toEqual(['other', 'vllm']);
});

test('with any problem nothing is changed', async () => {
  const before = await providers();
  const broken = { ...MODEL, slug: 'vllm/new', targets: [{ provider: 'nowhere', upstream_model: 'm' }] };
  const stolen = {
    ...MODEL,
    slug: 'vllm/second',
    aliases: ['vllm/m'],
    successor: 'vllm/none',
    fallback_models: ['vllm/new', 'vllm/nothing', 'sim/image'],
  };
  const renamed = { ...PROVIDER, kind: 'anthropic' };
  const result = await apply({
    providers: [renamed, { id: 'third', kind: 'openai' }],
    models: [broken, stolen],
  });
  expect(result.applied).toBe(false);
  expect(result.problems).toEqual([
    {
      path: 'providers[0].kind',
      message: "is openai and can't be changed: delete the provider first, or use another id",
    },
    { path: 'models[0].targets[0].provider', message: 'there is no provider nowhere' },
    { path: 'models[1].aliases', message: 'vllm/m is already used by vllm/m' },
    { path: 'models[1].successor', message: 'there is no model vllm/none' },
    { path: 'models[1].fallback_models[1]', message: 'there is no model vllm/nothing' },
    { path: 'models[1].fallback_models[2]', message: 'sim/image is not a chat model' },
  ]);
  const invalid = await apply({ providers: [{ id: 'third' }, { id: 'fourth', kind: 'openai' }] });
  expect(invalid).toMatchObject({ applied: false, problems: [{ path: 'providers[0].kind' }] });
  expect(await providers()).toEqual(before);
});

test('an alias moves from one model of the file to another, and no two models of it share one', async () => {
  const first = { ...MODEL, slug: 'vllm/first', aliases: ['vllm/latest'] };
  const second = { ...MODEL, slug: 'vllm/second', aliases: [] as string[] };
  expect(await apply({ providers: [PROVIDER], models: [first, second] })).toMatchObject({ applied: true });
  const moved = [
    { ...second, aliases: ['vllm/latest'] },
    { ...first, aliases: [] },
  ];
  expect(await apply({ models: moved })).toMatchObject({ problems: [], applied: true });
  const shared = [first, { ...second, aliases: ['vllm/latest'] }];
  expect(await apply({ models: shared }, true)).toMatchObject({
    problems: [{ path: 'models[1].aliases[0]', message: 'is a name of models[0] too' }],
  });
});

test('options that PostgreSQL cannot store are refused', async () => {
  for (const text of ['\ud800', 'a\0b']) {
    const odd = { id: 'odd', kind: 'openai', headers: {}, options: { quirks: { models_path: text } } };
    expect((await apply({ providers: [odd] })).problems.length).toBeGreaterThan(0);
  }
});
