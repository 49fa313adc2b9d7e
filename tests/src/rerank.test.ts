import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CohereClientV2 } from 'cohere-ai';
import { CLOSED_PORT } from './support/closed-port';
import { type HttpAnswer, postJson } from './support/http';
import { readLedger } from './support/ledger';
import { makeInputModel } from './support/make-model';
import { type Customer, type System, startSystem } from './support/system';
import { readUsageRecord } from './support/usage-record';

const DOCUMENTS = ['A dog.', 'A cat in a hat.', 'Who wears a hat?'];
/** Nano-USD per search unit. */
const UNIT_NANO = 2_000_000n;

let system: System;
let customer: Customer;
let token: string;
let byUnit: string;

beforeAll(async () => {
  system = await startSystem();
  customer = await system.provision();
  token = await system.operatorToken();
  const { simulatorUrl } = system.stack;
  const connect = (id: string, kind: string, base_url: string) =>
    system.dashboard.call('POST', 'admin/providers', token, {
      ...{ id, kind, base_url, credentials: [{ name: 'main', secret: 'a-key' }] },
    });
  await connect('cohere', 'cohere', `${simulatorUrl}/cohere`);
  await connect('vllm', 'openai', `${simulatorUrl}/openai/v1`);
  await connect('down', 'openai', `http://127.0.0.1:${CLOSED_PORT}/v1`);
  byUnit = await makeRerankModel('cohere-rerank', ['cohere'], { units: { search_unit: 0.002 } });
}, 60_000);
beforeEach(async () => {
  customer = await system.provision();
});
afterAll(async () => {
  await system?.stop();
}, 30_000);

const makeRerankModel = (name: string, providers: readonly string[], tokens: object): Promise<string> =>
  makeInputModel(system, customer, name, { output: 'rerank', providers, tokens });

const rerank = (fields: object, { apiKey } = customer, path = '/v1/rerank'): Promise<HttpAnswer> =>
  postJson(
    `${system.stack.apiUrl}${path}`,
    { model: 'sim/rerank', query: 'Who wears a hat?', documents: DOCUMENTS, ...fields },
    apiKey,
  );

async function chargeOf(answer: HttpAnswer): Promise<bigint | undefined> {
  await system.settled(customer);
  return (await readLedger(system, customer)).charges.get(String(answer.headers['x-request-id']));
}

test('a ranking by tokens is paid to the nano', async () => {
  const answer = await rerank({ top_n: 2, return_documents: true });
  const { json } = answer;
  expect([answer.status, json.model, json.results.length]).toEqual([200, 'sim/rerank', 2]);
  expect(json.results[0]).toEqual({
    index: 2,
    relevance_score: expect.closeTo(1, 4),
    document: { text: DOCUMENTS[2] },
  });
  expect(json.results[0].relevance_score).toBeGreaterThan(json.results[1].relevance_score);
  const [entry] = (await system.meter({ requestId: String(answer.headers['x-request-id']) })).entries;
  expect(json.usage.total_tokens).toBe(entry!.prompt_tokens);
  // sim/rerank costs 500 nano-USD per token.
  expect(await chargeOf(answer)).toBe(BigInt(entry!.prompt_tokens) * 500n);
});

test.each(['/v1/rerank', '/v2/rerank'])(
  'a ranking by Cohere at %s is paid by its search units to the nano',
  async (path) => {
    const documents = Array.from({ length: 101 }, (_, at) => ({ text: `Document ${at}.` }));
    const fields = { model: byUnit, documents, top_n: 3, max_tokens_per_doc: 100 };
    const answer = await rerank(fields, customer, path);
    expect([answer.status, answer.json.results.length]).toEqual([200, 3]);
    expect(answer.json.meta.billed_units).toEqual({ search_units: 2 });
    expect(await chargeOf(answer)).toBe(2n * UNIT_NANO);
  },
);

test("Cohere's own client reads a ranking and is paid by its search units to the nano", async () => {
  const client = new CohereClientV2({ token: customer.apiKey, environment: system.stack.apiUrl });
  const { results, meta } = await client.rerank({
    ...{ model: byUnit, query: 'Who wears a hat?', documents: DOCUMENTS, topN: 1 },
  });
  expect(results).toEqual([{ index: 2, relevanceScore: expect.closeTo(1, 4) }]);
  expect(meta?.billedUnits?.searchUnits).toBe(1);
  await system.settled(customer);
  const { charges } = await readLedger(system, customer);
  expect([...charges.values()]).toEqual([UNIT_NANO]);
});

test('the search units of a ranking are in its usage record', async () => {
  const answer = await rerank({ model: byUnit });
  expect(await chargeOf(answer)).toBe(UNIT_NANO);
  const record = await readUsageRecord(system, String(answer.headers['x-request-id']));
  expect(record).toMatchObject({ model: byUnit, provider: 'cohere', units: { search_unit: 1 } });
});

test('the next target answers when the first cannot be reached, in its own format', async () => {
  const model = await makeRerankModel('failover', ['down', 'cohere', 'vllm'], { input: 3 });
  const answer = await rerank({ model });
  expect([answer.status, answer.json.results.length]).toEqual([200, 3]);
  const { usage, meta } = answer.json;
  expect([usage.total_tokens > 10, meta]).toEqual([true, undefined]);
  // Cohere reports no tokens, so they are counted.
  expect(await chargeOf(answer)).toBe(BigInt(usage.total_tokens) * 3_000n);
});

describe('a ranking is refused', () => {
  test.each<[string, object, number, object]>([
    ['without a query', { query: '' }, 400, { code: 'missing_parameter', param: 'query' }],
    ['without documents', { documents: [] }, 400, { code: 'missing_parameter', param: 'documents' }],
    [
      'with an empty document',
      { documents: ['a', { text: '' }] },
      400,
      { code: 'missing_parameter', param: 'documents[1].text' },
    ],
    ['with a document of another type', { documents: [7] }, 400, { code: 'invalid_request' }],
    ['with too many documents', { documents: Array(1_001).fill('x') }, 400, { code: 'invalid_request' }],
    ['with top_n of 0', { top_n: 0 }, 400, { code: 'invalid_request' }],
    [
      'with a cut that its provider does not make',
      { max_tokens_per_doc: 9 },
      400,
      { code: 'invalid_request', detail: expect.stringMatching('max_tokens_per_doc') },
    ],
    ['without a model', { model: undefined }, 400, { code: 'missing_parameter', param: 'model' }],
    ['with an embedding model', { model: 'sim/embedding' }, 404, { code: 'model_not_found' }],
  ])('%s', async (_what, fields, status, error) => {
    const answer = await rerank(fields);
    expect([answer.status, answer.json.error]).toEqual([status, expect.objectContaining(error)]);
  });

  test('above the limit of one request because of the units of its long documents', async () => {
    const limited = await system.provision({ key: { request_cost_limit: 0.003 } });
    const short = await rerank({ model: byUnit, documents: Array(100).fill('short') }, limited);
    const long = await rerank({ model: byUnit, documents: Array(100).fill('x'.repeat(600)) }, limited);
    expect([short.status, long.status, long.json.error.code]).toEqual([200, 402, 'request_cost_limit']);
  });

  test('by its provider, for nothing', async () => {
    const answer = await rerank({ documents: ['[[sim {"status": 500}]]'] });
    expect([answer.status, answer.json.error.code]).toEqual([502, 'upstream_failed']);
    expect(await chargeOf(answer)).toBeUndefined();
  });
});

test('the test of a provider ranks a text if the catalog has the model as a rerank model', async () => {
  const tested = await system.dashboard.call('POST', 'admin/providers/cohere/test', token, {
    model: 'cohere-rerank',
  });
  expect(tested).toMatchObject({ ok: true });
});

test('no money has drifted', async () => {
  expect(await system.drift()).toBe(0);
});
