import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { OpenAIEmbeddings } from '@langchain/openai';
import OpenAI from 'openai';
import { CLOSED_PORT } from './support/closed-port';
import { type HttpAnswer, postJson, sendRequest } from './support/http';
import { readLedger } from './support/ledger';
import { makeInputModel } from './support/make-model';
import { type Customer, type System, startSystem } from './support/system';
import { readUsageRecord } from './support/usage-record';

let system: System;
let customer: Customer;
let token: string;

beforeAll(async () => {
  system = await startSystem({
    settings: { chat: { DEEPSEEK_BASE_URL: `http://127.0.0.1:${CLOSED_PORT}/v1` } },
  });
  token = await system.operatorToken();
  const credentials = [{ name: 'main', secret: 'a-key-of-cohere' }];
  await system.dashboard.call('POST', 'admin/providers', token, {
    ...{ id: 'cohere', kind: 'cohere', base_url: `${system.stack.simulatorUrl}/cohere`, credentials },
  });
}, 60_000);
beforeEach(async () => {
  customer = await system.provision();
});
afterAll(async () => {
  await system?.stop();
}, 30_000);

const embed = (fields: object, { apiKey } = customer): Promise<HttpAnswer> =>
  postJson(
    `${system.stack.apiUrl}/v1/embeddings`,
    { model: 'sim/embedding', input: 'Hello', ...fields },
    apiKey,
  );
const modelOf = (slug: string): Promise<HttpAnswer> =>
  sendRequest(`${system.stack.apiUrl}/v1/models/${slug}`, 'GET', {
    authorization: `Bearer ${customer.apiKey}`,
  });
const requestIdOf = ({ headers }: HttpAnswer) => String(headers['x-request-id']);
const client = () =>
  new OpenAI({ apiKey: customer.apiKey, baseURL: `${system.stack.apiUrl}/v1`, maxRetries: 0 });
const lengthOf = (vector: readonly number[]): number => Math.hypot(...vector);

/** Checks that the call is the account's only charge, of the tokens that the simulator has metered. */
async function expectPaid(answer: HttpAnswer, model: string): Promise<void> {
  const [entry] = (await system.meter({ requestId: requestIdOf(answer) })).entries;
  const { input } = (await modelOf(model)).json.pricing.tokens;
  const paidNano = BigInt(entry!.prompt_tokens) * BigInt(Math.round(input * 1_000));
  expect(paidNano).toBeGreaterThan(0n);
  await system.settled(customer);
  expect([...(await readLedger(system, customer)).charges]).toEqual([[requestIdOf(answer), paidNano]]);
  const tokens = entry!.prompt_tokens;
  expect(answer.json.usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens });
}

describe('the openai package', () => {
  test('reads the vectors that it asks for in base64, its default', async () => {
    const { data, model, usage } = await client().embeddings.create({
      ...{ model: 'sim/embedding', input: ['one', 'two'], dimensions: 256 },
    });
    expect(data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
      [0, 256],
      [1, 256],
    ]);
    for (const { embedding } of data) expect(lengthOf(embedding)).toBeCloseTo(1, 5);
    expect([model, usage]).toEqual(['sim/embedding', { prompt_tokens: 2, total_tokens: 2 }]);
  });

  test('reads the same vectors as floats', async () => {
    const request = { model: 'sim/embedding', input: 'A cat in a hat.' };
    const floats = await client().embeddings.create({ ...request, encoding_format: 'float' });
    const decoded = await client().embeddings.create(request);
    expect(decoded.data[0]!.embedding).toHaveLength(1_536);
    expect(decoded.data[0]!.embedding.map(Math.fround)).toEqual(floats.data[0]!.embedding.map(Math.fround));
  });
});

test("LangChain's OpenAIEmbeddings embeds documents in batches and a query", async () => {
  const embeddings = new OpenAIEmbeddings({
    ...{ model: 'sim/embedding', apiKey: customer.apiKey, batchSize: 2, dimensions: 64, maxRetries: 0 },
    configuration: { baseURL: `${system.stack.apiUrl}/v1` },
  });
  const documents = await embeddings.embedDocuments(['one', 'two', 'three']);
  expect(documents.map(({ length }) => length)).toEqual([64, 64, 64]);
  expect(await embeddings.embedQuery('two')).toEqual(documents[1]);
});

describe.each([
  'sim/embedding',
  'openai/text-embedding-3-small',
  'openai/text-embedding-3-large',
  'google/gemini-embedding-001',
  'mistral/mistral-embed',
  'cohere/embed-v4',
])('%s', (model) => {
  test.each(['float', 'base64'])(
    'is charged to the nano and returns what was asked for: %s',
    async (encoding_format) => {
      const input = ['The quick brown fox', 'Ein schöner Tag, 日本語のテキスト', 'x'.repeat(500)];
      const fields = { model, input, encoding_format, dimensions: 512, input_type: 'search_query' };
      const answer = await embed(fields);
      expect([answer.status, answer.json.model, answer.json.object]).toEqual([200, model, 'list']);
      for (const [at, { index, embedding }] of answer.json.data.entries()) {
        expect(index).toBe(at);
        if (encoding_format === 'base64') expect(Buffer.from(embedding, 'base64')).toHaveLength(4 * 512);
        else expect(lengthOf(embedding)).toBeCloseTo(1, 5);
      }
      await expectPaid(answer, model);
    },
  );
});

test('a list of 2,048 inputs in base64 is answered and charged completely', async () => {
  const input = Array.from({ length: 2_048 }, (_, at) => `text ${at}`);
  const answer = await embed({ input, encoding_format: 'base64' });
  expect([answer.status, answer.json.data.length, answer.json.data.at(-1).index]).toEqual([
    200, 2_048, 2_047,
  ]);
  await expectPaid(answer, 'sim/embedding');
});

test('tokens are charged by their number, and refused for a model whose provider takes texts only', async () => {
  const input = [[1, 2, 3], [4]];
  const answer = await embed({ input });
  expect(answer.json.usage.prompt_tokens).toBe(4);
  await expectPaid(answer, 'sim/embedding');
  const refused = await embed({ model: 'google/gemini-embedding-001', input });
  expect(refused.json.error).toMatchObject({
    code: 'invalid_request',
    detail: expect.stringMatching('tokens'),
  });
});

test('the next target answers and is paid when the first cannot be reached', async () => {
  const model = await makeInputModel(system, customer, 'failover', {
    output: 'embedding',
    providers: ['deepseek', 'google'],
    tokens: { input: 3 },
  });
  const answer = await embed({ model, input: ['one', 'two'] });
  expect([answer.status, answer.json.data.length]).toEqual([200, 2]);
  await expectPaid(answer, model);
  expect(await readUsageRecord(system, requestIdOf(answer))).toMatchObject({ provider: 'google', model });
});

test('a call that its provider fails costs nothing', async () => {
  const answer = await embed({ input: '[[sim {"status": 500}]]' });
  expect([answer.status, answer.json.error.code]).toEqual([502, 'upstream_failed']);
  await system.settled(customer);
  expect((await readLedger(system, customer)).charges.size).toBe(0);
});

test('GET /v1/models?type=embedding lists embedding models only', async () => {
  const { json } = await sendRequest(`${system.stack.apiUrl}/v1/models?type=embedding`, 'GET', {
    authorization: `Bearer ${customer.apiKey}`,
  });
  const slugs = json.data.map(({ id }: { id: string }) => id);
  expect(slugs).toEqual(
    expect.arrayContaining(['sim/embedding', 'openai/text-embedding-3-small', 'cohere/embed-v4']),
  );
  expect(slugs).not.toContain('sim/chat');
});

describe('a call for embeddings is refused', () => {
  test.each<[string, object, number, object]>([
    ['without input', { input: undefined }, 400, { code: 'missing_parameter', param: 'input' }],
    ['with an empty text', { input: ['a', ''] }, 400, { code: 'missing_parameter', param: 'input[1]' }],
    ['with an unknown field', { truncate: 'END' }, 400, { code: 'invalid_request' }],
    ['without a model', { model: undefined }, 400, { code: 'missing_parameter', param: 'model' }],
    ['with an unknown model', { model: 'sim/nothing' }, 404, { code: 'model_not_found' }],
    ['with a chat model', { model: 'sim/chat' }, 404, { code: 'model_not_found' }],
    [
      'with more inputs than Cohere takes',
      { model: 'cohere/embed-v4', input: Array(97).fill('x') },
      400,
      { code: 'invalid_request' },
    ],
    ['whose reply would be too large', { input: Array(1_000).fill('x') }, 400, { code: 'invalid_request' }],
  ])('%s', async (_what, fields, status, error) => {
    const answer = await embed(fields);
    expect([answer.status, answer.json.error]).toEqual([status, expect.objectContaining(error)]);
  });

  test('of a chat endpoint with an embedding model', async () => {
    const body = { model: 'sim/embedding', messages: [{ role: 'user', content: 'x' }] };
    const answer = await postJson(`${system.stack.apiUrl}/v1/chat/completions`, body, customer.apiKey);
    expect([answer.status, answer.json.error.code]).toEqual([404, 'model_not_found']);
  });

  test('without a balance', async () => {
    const answer = await embed({}, await system.provision({ balanceUsd: 0 }));
    expect([answer.status, answer.json.error.code]).toEqual([402, 'insufficient_balance']);
  });

  test('above the limit of one request', async () => {
    const limited = await system.provision({ key: { request_cost_limit: 0.000_01 } });
    const answer = await embed({ input: 'x'.repeat(1_000) }, limited);
    expect([answer.status, answer.json.error.code]).toEqual([402, 'request_cost_limit']);
    expect((await embed({ input: 'x' }, limited)).status).toBe(200);
  });

  test.each([
    ['rpm_rate_limited', { rpm_limit: 1 }, 'x'],
    ['tpm_rate_limited', { tpm_limit: 300 }, 'word '.repeat(200)],
  ])('with %s by the second call', async (code, key, input) => {
    const limited = await system.provision({ key });
    expect((await embed({ input }, limited)).status).toBe(200);
    const answer = await embed({ input }, limited);
    expect([answer.status, answer.json.error.code]).toEqual([429, code]);
  });
});

test('a call whose chat process is killed is charged its estimated tokens once', async () => {
  const input = `[[sim {"delay_ms": 60000}]] ${'word '.repeat(400)}`;
  const lost = embed({ input }).catch(() => undefined);
  await until(async () => (await system.meter()).in_flight > 0);
  await system.stack.kill('chat');
  await lost;
  await system.settled(customer, 30_000);
  const [paidNano] = [...(await readLedger(system, customer)).charges.values()];
  // sim/embedding costs 500 nano-USD per token.
  expect(paidNano! / 500n).toBeGreaterThan(300n);
  expect(paidNano! / 500n).toBeLessThan(600n);
  await until(async () => (await embed({})).status === 200, 30_000);
  expect(await system.drift()).toBe(0);
}, 90_000);
