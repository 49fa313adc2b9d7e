import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import { directivePrompt } from './clients/client-fixture';
import { CLOSED_PORT } from './support/closed-port';
import { type HttpAnswer, postJson, sendRequest } from './support/http';
import { readLedger } from './support/ledger';
import { makeModel } from './support/make-model';
import { type Customer, type System, startSystem } from './support/system';
import { readUsageRecord } from './support/usage-record';

let system: System;
let customer: Customer;

beforeAll(async () => {
  system = await startSystem({
    settings: { chat: { XAI_BASE_URL: `http://127.0.0.1:${CLOSED_PORT}/v1` } },
  });
}, 60_000);
beforeEach(async () => {
  customer = await system.provision();
});
afterAll(async () => {
  await system?.stop();
}, 30_000);

const complete = (fields: object, { apiKey } = customer): Promise<HttpAnswer> =>
  postJson(`${system.stack.apiUrl}/v1/completions`, { model: 'sim/chat', prompt: 'Hi', ...fields }, apiKey);
const client = () =>
  new OpenAI({ apiKey: customer.apiKey, baseURL: `${system.stack.apiUrl}/v1`, maxRetries: 0 });

/** Checks that the account's only charge is that of the tokens that the simulator has metered. */
async function expectPaid(model: string): Promise<void> {
  await system.settled(customer);
  const { charges } = await readLedger(system, customer);
  expect(charges.size).toBe(1);
  const [requestId, paidNano] = [...charges][0]!;
  const [entry] = (await system.meter({ requestId })).entries;
  const { json } = await sendRequest(`${system.stack.apiUrl}/v1/models/${model}`, 'GET', {
    authorization: `Bearer ${customer.apiKey}`,
  });
  const { input, output } = json.pricing.tokens;
  const nano = (tokens: number, usd: number) => BigInt(tokens) * BigInt(Math.round(usd * 1_000));
  expect(paidNano).toBe(nano(entry!.prompt_tokens, input) + nano(entry!.completion_tokens, output));
  expect(paidNano).toBeGreaterThan(0n);
}

const PROMPT = directivePrompt({ text: 'return fib(n - 1) + fib(n - 2)', chunks: 4 });

describe.each(['sim/chat', 'deepseek/deepseek-chat', 'mistral/codestral-latest'])('%s', (model) => {
  const asked = { model, prompt: PROMPT, suffix: 'print(fib(9))', max_tokens: 100 };

  test('fills in the middle for the openai package and is paid to the nano', async () => {
    const reply = await client().completions.create(asked);
    expect([reply.object, reply.model, reply.choices]).toEqual([
      'text_completion',
      model,
      [expect.objectContaining({ index: 0, finish_reason: 'stop' })],
    ]);
    expect(reply.choices[0]!.text).toContain('return fib(n - 1)');
    expect(reply.usage!.prompt_tokens).toBeGreaterThan(10);
    await expectPaid(model);
  });

  test('streams to the openai package and is paid to the nano', async () => {
    let text = '';
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of await client().completions.create({
      ...{ ...asked, stream: true, stream_options: { include_usage: true } },
    })) {
      expect([chunk.object, chunk.model]).toEqual(['text_completion', model]);
      text += chunk.choices[0]?.text ?? '';
      usage = chunk.usage ?? usage;
    }
    expect(text).toContain('return fib(n - 1)');
    expect(usage!.completion_tokens).toBeGreaterThan(5);
    await expectPaid(model);
  });
});

test('every choice that is generated is paid, also those that best_of discards', async () => {
  const { choices, usage } = await client().completions.create({
    ...{ model: 'sim/chat', prompt: [PROMPT, 'Again.'], n: 2, best_of: 5, echo: true, max_tokens: 50 },
  });
  expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  expect(choices[3]!.text).toMatch(/^Again\./);
  expect(usage!.completion_tokens % 10).toBe(0);
  await expectPaid('sim/chat');
});

test('tokens are billed by their number', async () => {
  const { usage } = await client().completions.create({ model: 'sim/chat', prompt: [1, 2, 3, 4, 5] });
  expect(usage!.prompt_tokens).toBe(5);
  await expectPaid('sim/chat');
});

test('a caller who does not ask for the usage of a stream gets none, and pays', async () => {
  const { text } = await complete({ stream: true });
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
  expect(text).not.toContain('"usage"');
  await expectPaid('sim/chat');
});

test('the next target with text completions answers, past one that cannot be reached and one without any', async () => {
  const model = await makeModel(
    system,
    customer,
    'completing',
    ['xai', 'anthropic', 'openai'].map((provider) => ({ provider })),
    { capabilities: ['completions'] },
  );
  const answer = await complete({ model });
  expect(answer.status).toBe(200);
  await system.settled(customer);
  expect(await readUsageRecord(system, String(answer.headers['x-request-id']))).toMatchObject({
    ...{ provider: 'openai', model },
  });
});

test('a fallback model without text completions is passed over', async () => {
  const plain = await makeModel(system, customer, 'plain-fallback', [{ provider: 'openai' }]);
  const model = await makeModel(system, customer, 'completing-fallback', [{ provider: 'xai' }], {
    ...{ capabilities: ['completions'], fallback_models: [plain, 'sim/chat'] },
  });
  const answer = await complete({ model });
  expect([answer.status, answer.json.model]).toEqual([200, 'sim/chat']);
  await expectPaid('sim/chat');
});

test.each([{ status: 500 }, { reset: true }, { drop_after_chunks: 1 }])(
  'a call that its provider fails with %j costs nothing',
  async (directive) => {
    const answer = await complete({ prompt: directivePrompt(directive) });
    expect([answer.status, answer.json.error.code]).toEqual([502, 'upstream_failed']);
    await system.settled(customer);
    expect((await readLedger(system, customer)).charges.size).toBe(0);
  },
);

describe('a call is refused', () => {
  test.each<[string, object, number, object]>([
    [
      'with a chat model',
      { model: 'openai/gpt-5.4-mini' },
      400,
      { code: 'invalid_request', detail: expect.stringMatching('no text completions') },
    ],
    [
      'with a suffix for a model that only continues',
      { model: 'anthropic/claude-haiku-4-5', suffix: 'x' },
      400,
      { code: 'invalid_request', detail: expect.stringMatching('does not fill in the middle') },
    ],
    ['with an embedding model', { model: 'sim/embedding' }, 404, { code: 'model_not_found' }],
    ['without a prompt', { prompt: '' }, 400, { code: 'missing_parameter', param: 'prompt' }],
    [
      'with tokens for a provider that takes a text',
      { model: 'deepseek/deepseek-chat', prompt: [1] },
      400,
      { code: 'invalid_request', detail: expect.stringMatching('prompt') },
    ],
  ])('%s', async (_what, fields, status, error) => {
    const answer = await complete(fields);
    expect([answer.status, answer.json.error]).toEqual([status, expect.objectContaining(error)]);
  });

  test('above the limit of one request only because of its discarded choices', async () => {
    // sim/chat costs 4 micro-USD per output token.
    const limited = await system.provision({ key: { request_cost_limit: 0.002 } });
    const one = await complete({ max_tokens: 100 }, limited);
    const ten = await complete({ max_tokens: 100, n: 1, best_of: 10 }, limited);
    expect([one.status, ten.status, ten.json.error.code]).toEqual([200, 402, 'request_cost_limit']);
  });
});

test('no money has drifted', async () => {
  expect(await system.drift()).toBe(0);
});
