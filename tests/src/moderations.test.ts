import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import { type HttpAnswer, postJson } from './support/http';
import { readLedger } from './support/ledger';
import { makeInputModel } from './support/make-model';
import { type Customer, type System, startSystem } from './support/system';
import { readUsageRecord } from './support/usage-record';

let system: System;
let customer: Customer;
let mistral: string;

beforeAll(async () => {
  system = await startSystem();
  customer = await system.provision();
  mistral = await makeInputModel(system, customer, 'mistral-moderation', {
    output: 'moderation',
    providers: ['mistral'],
    tokens: { input: 1 },
  });
}, 60_000);
beforeEach(async () => {
  customer = await system.provision();
});
afterAll(async () => {
  await system?.stop();
}, 30_000);

const moderate = (fields: object, { apiKey } = customer): Promise<HttpAnswer> =>
  postJson(
    `${system.stack.apiUrl}/v1/moderations`,
    { model: 'sim/moderation', input: 'Hello', ...fields },
    apiKey,
  );
const client = () =>
  new OpenAI({ apiKey: customer.apiKey, baseURL: `${system.stack.apiUrl}/v1`, maxRetries: 0 });

/** Checks that the account's only charge is that of the tokens that the simulator has metered. */
async function expectPaid(nanoPerToken: bigint): Promise<void> {
  await system.settled(customer);
  const { charges } = await readLedger(system, customer);
  expect(charges.size).toBe(1);
  const [requestId, paidNano] = [...charges][0]!;
  const [entry] = (await system.meter({ requestId })).entries;
  expect(paidNano).toBe(BigInt(entry!.prompt_tokens) * nanoPerToken);
  expect(paidNano).toBeGreaterThan(0n);
}

describe('the openai package', () => {
  test('moderates texts with a result for each, paid to the nano', async () => {
    const { id, model, results } = await client().moderations.create({
      ...{ model: mistral, input: ['I kill you, idiot.', 'A cat in a hat.'] },
    });
    expect([id, model]).toEqual([expect.stringMatching(/^modr-/), mistral]);
    expect(results.map(({ flagged, categories }) => [flagged, categories.violence])).toEqual([
      [true, true],
      [false, false],
    ]);
    expect(results[0]!.category_applied_input_types.violence).toEqual(['text']);
    expect(results[0]!.category_scores.violence).toBe(0.98);
    await expectPaid(1_000n);
  });

  test('moderates for nothing with a model whose price is 0', async () => {
    const answer = await client()
      .moderations.create({ model: 'openai/omni-moderation-latest', input: 'I kill you.' })
      .withResponse();
    expect(answer.data.results[0]!.flagged).toBe(true);
    expect((await system.settled(customer)).balance).toBe(10);
    const requestId = String(answer.response.headers.get('x-request-id'));
    await until(async () => (await readUsageRecord(system, requestId)) !== undefined);
    expect(await readUsageRecord(system, requestId)).toMatchObject({
      model: 'openai/omni-moderation-latest',
      error_code: '',
    });
  });

  test('moderates a text with an image, counted as the tokens of both', async () => {
    const { results } = await client().moderations.create({
      model: 'sim/moderation',
      input: [
        { type: 'text', text: 'Is this an idiot?' },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      ],
    });
    expect(results).toHaveLength(1);
    await expectPaid(500n);
  });
});

describe('a moderation is refused', () => {
  test.each<[string, object, number, object]>([
    ['without input', { input: [] }, 400, { code: 'missing_parameter', param: 'input' }],
    ['with an empty text', { input: ['a', ''] }, 400, { code: 'missing_parameter', param: 'input[1]' }],
    ['with a number', { input: 7 }, 400, { code: 'invalid_request' }],
    ['with a part of another type', { input: [{ type: 'file' }] }, 400, { code: 'invalid_request' }],
    [
      'with a private link',
      { input: [{ type: 'image_url', image_url: { url: 'http://10.0.0.1/a.png' } }] },
      400,
      { code: 'invalid_request', detail: expect.stringMatching(/^input\[0\]\.image_url\.url: /) },
    ],
    ['without a model', { model: undefined }, 400, { code: 'missing_parameter', param: 'model' }],
    ['with a chat model', { model: 'sim/chat' }, 404, { code: 'model_not_found' }],
  ])('%s', async (_what, fields, status, error) => {
    const answer = await moderate(fields);
    expect([answer.status, answer.json.error]).toEqual([status, expect.objectContaining(error)]);
  });

  test('with an image for a model that takes texts', async () => {
    const url = 'https://example.com/a.png';
    const answer = await moderate({ model: mistral, input: [{ type: 'image_url', image_url: { url } }] });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request']);
    expect(answer.json.error.detail).toMatch('not images');
  });

  test('by its provider, for nothing', async () => {
    const answer = await moderate({ input: '[[sim {"status": 500}]]' });
    expect([answer.status, answer.json.error.code]).toEqual([502, 'upstream_failed']);
    await system.settled(customer);
    expect((await readLedger(system, customer)).charges.size).toBe(0);
  });

  test.each([
    ['rpm_rate_limited', { rpm_limit: 1 }],
    ['tpm_rate_limited', { tpm_limit: 300 }],
  ])('with %s by the second call, also if it is free', async (code, key) => {
    const limited = await system.provision({ key });
    const fields = { model: 'openai/omni-moderation-latest', input: 'word '.repeat(200) };
    expect((await moderate(fields, limited)).status).toBe(200);
    const answer = await moderate(fields, limited);
    expect([answer.status, answer.json.error.code]).toEqual([429, code]);
  });
});

test('no money has drifted', async () => {
  expect(await system.drift()).toBe(0);
});
