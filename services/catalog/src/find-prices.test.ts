import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FindPricesRequest } from '@gateway/proto/generated/gateway/catalog/v1/FindPricesRequest';
import { callUnary } from '@gateway/rpc';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type CatalogWorld, startCatalogWorld } from './testing/catalog-fixture';

jest.setTimeout(30_000);

const TEXT = { modalities: { input: ['text'], output: ['text'] } };
const LIST = {
  groq: {
    id: 'groq',
    models: {
      'org/m': {
        id: 'org/m',
        name: 'Model M',
        tool_call: true,
        modalities: { input: ['text', 'image'], output: ['text'] },
        limit: { context: 131_072, output: 8_192 },
        cost: { input: 0.59, output: 0.79 },
      },
      tolled: { ...TEXT, id: 'tolled', cost: { input: 1, output: 2, toll: 3 } },
    },
  },
  anthropic: {
    id: 'anthropic',
    models: { c: { ...TEXT, id: 'c', name: 'C', cost: { input: 3, output: 15 } } },
  },
};

let folder: string;
let file: string;
let world: CatalogWorld;
let client: ReturnType<CatalogWorld['connect']>;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gateway-prices-'));
  file = path.join(folder, 'prices.json');
  writeFileSync(file, JSON.stringify(LIST));
  world = await startCatalogWorld();
  client = world.connect(await world.startCatalog(undefined, { PRICE_LIST: file }), 'dashboard');
  const created = { id: 'fast', kind: 'openai', baseUrl: 'https://api.groq.com/openai/v1' };
  await callUnary(client, client.CreateProvider, created, { timeoutMs: 5_000 });
  await callUnary(client, client.CreateProvider, { id: 'claude', kind: 'anthropic' }, { timeoutMs: 5_000 });
});
afterAll(async () => {
  await world?.cleanUp();
  await world?.drop();
  rmSync(folder, { recursive: true });
});

const find = (request: FindPricesRequest) =>
  callUnary(
    client,
    client.FindPrices,
    { upstreamModels: ['org/m', 'c', 'unknown'], ...request },
    { timeoutMs: 5_000 },
  );

test("finds exactly the provider's models, with the markup on top of the costs", async () => {
  const found = await find({ providerId: 'groq', markupPercent: '12.5' });
  expect(found).toMatchObject({
    source: file,
    sourceDate: new Date().toISOString().slice(0, 10),
    problem: '',
  });
  expect(found.prices).toMatchObject([
    {
      upstreamModel: 'org/m',
      model: {
        name: 'Model M',
        inputModalities: ['text', 'image'],
        contextLength: 131_072,
        maxOutputTokens: 8_192,
        pricing: { source: file, tokens: { inputNano: '663750000', outputNano: '888750000' } },
      },
      cost: { tokens: { inputNano: '590000000', outputNano: '790000000' } },
    },
  ]);
});

test('says of every other requested model why it has no price', async () => {
  const { prices, missing } = await find({
    providerId: 'groq',
    upstreamModels: ['unknown', 'tolled', 'org/m', 'constructor'],
  });
  expect(prices).toHaveLength(1);
  expect(missing).toEqual([
    { upstreamModel: 'unknown', reason: 'not listed under groq' },
    { upstreamModel: 'tolled', reason: expect.stringContaining('toll') },
    { upstreamModel: 'constructor', reason: 'not listed under groq' },
  ]);
});

test('says why LiteLLM’s entry of a model is not used', async () => {
  const litellm = path.join(folder, 'litellm.json');
  const entry = {
    litellm_provider: 'groq',
    mode: 'chat',
    input_cost_per_token: 1e-6,
    output_cost_per_token: 1e-6,
  };
  const dear = { ...entry, input_cost_per_token: 2e-6 };
  const list = { 'groq/tolled': { ...entry, toll_cost: 1 }, 'groq/ears': { ...entry, mode: 'audio_speech' } };
  writeFileSync(litellm, JSON.stringify({ ...list, 'groq/two': entry, two: dear, 'groq/fine': entry }));
  const other = world.connect(await world.startCatalog(undefined, { PRICE_LIST: litellm }), 'dashboard');
  const request = { providerId: 'groq', upstreamModels: ['tolled', 'ears', 'two', 'fine'] };
  const { prices, missing } = await callUnary(other, other.FindPrices, request, { timeoutMs: 5_000 });
  expect(prices.map(({ upstreamModel }) => upstreamModel)).toEqual(['fine']);
  expect(missing.map(({ upstreamModel, reason }) => [upstreamModel, reason])).toEqual([
    ['tolled', 'unsupported price toll_cost'],
    ['ears', 'not a chat model'],
    ['two', 'another entry of this provider and model has other prices'],
  ]);
});

test('a server that is compatible with OpenAI has the prices of the provider that the operator names, and no others', async () => {
  expect((await find({ providerId: 'fast' })).prices).toEqual([]);
  const named = await find({ providerId: 'fast', listProvider: 'groq' });
  expect(named.prices.map(({ upstreamModel }) => upstreamModel)).toEqual(['org/m']);
});

test('a provider of another kind has the prices of that kind', async () => {
  const { prices } = await find({ providerId: 'claude' });
  expect(prices.map(({ upstreamModel }) => upstreamModel)).toEqual(['c']);
});

test('a markup that is no decimal is refused', async () => {
  await expect(find({ providerId: 'groq', markupPercent: 'much' })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

test('a list that cannot be read is a problem, not an error', async () => {
  const broken = path.join(folder, 'none.json');
  const without = world.connect(await world.startCatalog(undefined, { PRICE_LIST: broken }), 'dashboard');
  const found = await callUnary(without, without.FindPrices, { upstreamModels: ['c'] }, { timeoutMs: 5_000 });
  expect(found).toMatchObject({ prices: [], source: '', problem: 'ENOENT' });
  const none = world.connect(await world.startCatalog(undefined, { PRICE_LIST: 'none' }), 'dashboard');
  const empty = await callUnary(none, none.FindPrices, { upstreamModels: ['c'] }, { timeoutMs: 5_000 });
  expect(empty.problem).toBe('no price list is configured');
});
