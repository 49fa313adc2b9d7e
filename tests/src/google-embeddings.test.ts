import { GoogleGenAI, type Model } from '@google/genai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import './clients/google-genai';
import { type HttpAnswer, postJson, sendRequest } from './support/http';
import { nano, readLedger } from './support/ledger';
import { type Customer, type System, startSystem } from './support/system';

let system: System;
let customer: Customer;
let google: GoogleGenAI;
/** Every embedding model of the seed. */
let slugs: string[];
beforeAll(async () => {
  system = await startSystem();
  const { apiKey } = await system.provision();
  const listed = await get('/v1/models?type=embedding', { authorization: `Bearer ${apiKey}` });
  slugs = listed.json.data.map(({ id }: { id: string }) => id);
}, 60_000);
beforeEach(async () => {
  customer = await system.provision();
  google = new GoogleGenAI({ apiKey: customer.apiKey, httpOptions: { baseUrl: system.stack.apiUrl } });
});
afterAll(async () => {
  expect(await system.drift()).toBe(0);
  await system?.stop();
}, 30_000);

const get = (path: string, headers: Record<string, string> = { 'x-goog-api-key': customer.apiKey }) =>
  sendRequest(`${system.stack.apiUrl}${path}`, 'GET', headers);
const post = (path: string, body: object): Promise<HttpAnswer> =>
  postJson(`${system.stack.apiUrl}${path}`, body, undefined, { 'x-goog-api-key': customer.apiKey });

describe("Google's client", () => {
  test('gets an embedding of every embedding model, and pays for its tokens', async () => {
    expect(slugs.length).toBeGreaterThan(3);
    for (const model of slugs) {
      const { embeddings } = await google.models.embedContent({ model, contents: 'Hello' });
      expect(embeddings?.map(({ values }) => values!.length > 100)).toEqual([true]);
    }
    await system.settled(customer);
    expect((await readLedger(system, customer)).charges.size).toBe(slugs.length);
  });

  test('gets a batch with a task and a size', async () => {
    const { embeddings } = await google.models.embedContent({
      model: 'google/gemini-embedding-001',
      contents: ['one', 'two', 'three'],
      config: { taskType: 'RETRIEVAL_DOCUMENT', outputDimensionality: 256, title: 'T' },
    });
    expect(embeddings?.map(({ values }) => values!.length)).toEqual([256, 256, 256]);
  });

  test('lists chat and embedding models page by page, and each of them alone', async () => {
    const models: Model[] = [];
    for await (const model of await google.models.list({ config: { pageSize: 5 } })) models.push(model);
    const names = models.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].sort());
    expect(names).toContain('models/openai/gpt-5.5');
    expect(names).toContain(`models/${slugs[0]}`);
    expect(names).not.toContain('models/sim/image');
    const chat = models.find(({ name }) => name === 'models/openai/gpt-5.5')!;
    expect(chat.inputTokenLimit).toBeGreaterThan(1_000);
    expect(chat.outputTokenLimit).toBeGreaterThan(1_000);
    expect(chat.displayName).toBeTruthy();
    expect(chat.supportedActions).toContain('generateContent');
    expect(await google.models.get({ model: 'openai/gpt-5.5' })).toEqual(chat);
    expect((await google.models.get({ model: slugs[0]! })).supportedActions).toContain('embedContent');
  });
});

test("GET /v1/models has Google's shape for a key in Google's header, and OpenAI's otherwise", async () => {
  const googles = await get('/v1/models?pageSize=1');
  expect(googles.json).toEqual({ models: [expect.anything()], nextPageToken: expect.any(String) });
  const one = (await get(`/v1/models/${slugs[0]}`)).json;
  expect(one).toEqual((await get(`/v1beta/models/${slugs[0]}`)).json);
  const openAi = await get('/v1/models', { authorization: `Bearer ${customer.apiKey}` });
  expect(openAi.json.object).toBe('list');
});

test('an allowlist hides models, and a malformed page is refused', async () => {
  customer = await system.provision({ key: { allowed_models: ['sim/chat'] } });
  expect((await get('/v1beta/models')).json.models.map(({ name }: Model) => name)).toEqual([
    'models/sim/chat',
  ]);
  expect((await get(`/v1beta/models/${slugs[0]}`)).json.error.code).toBe('model_not_found');
  expect((await get('/v1beta/models?pageSize=x')).json.error.code).toBe('invalid_request');
});

describe.each(['/v1', '/v1beta'])('%s', (version) => {
  const content = { parts: [{ text: 'Hello' }] };

  test("an embedding has Google's shape, its exact cost, and one charge", async () => {
    const answer = await post(`${version}/models/sim/embedding:embedContent`, { content });
    expect(answer.json).toEqual({
      embedding: { values: expect.any(Array) },
      usageMetadata: { promptTokenCount: expect.any(Number) },
    });
    await system.settled(customer);
    const { charges } = await readLedger(system, customer);
    expect([...charges]).toEqual([
      [answer.headers['x-request-id'], nano(Number(answer.headers['x-gateway-cost']))],
    ]);
  });

  test('another model in a request of a batch is refused, and costs nothing', async () => {
    const requests = [
      { model: 'models/sim/embedding', content },
      { model: 'models/sim/other', content },
    ];
    const answer = await post(`${version}/models/sim/embedding:batchEmbedContents`, { requests });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request']);
    await system.settled(customer);
    expect((await readLedger(system, customer)).charges.size).toBe(0);
  });

  test('a chat model is not found', async () => {
    const answer = await post(`${version}/models/sim/chat:embedContent`, { content });
    expect([answer.status, answer.json.error.code]).toEqual([404, 'model_not_found']);
  });
});
