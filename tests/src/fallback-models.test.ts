import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type FaultProvider, startFaultProvider } from './support/fault-provider';
import { type HttpAnswer, openStream, postJson } from './support/http';
import { readLedger } from './support/ledger';
import { makeModel, type TargetInput } from './support/make-model';
import { readSamples } from './support/metrics';
import { DONE, ROLE_CHUNK, sse, streamHead, WORD_CHUNKS } from './support/provider-replies';
import { type Customer, type System, startSystem } from './support/system';
import { readUsageRecord } from './support/usage-record';

/** USD per million tokens are micro-USD per token. */
const pricing = (input: number, output: number) => ({
  pricing: { tokens: { input, output, cache_read: input, cache_write: input } },
});
const USAGE = { prompt_tokens: 30, completion_tokens: 7 };
const SAYS = `[[sim ${JSON.stringify({ text: 'from the simulator', usage: USAGE })}]]`;
/** Of the fallback model below, three times as expensive as the model that is requested. */
const FALLBACK_INPUT_NANO = 3_000n;
const FALLBACK_OUTPUT_NANO = 12_000n;
const PAID_NANO = 30n * FALLBACK_INPUT_NANO + 7n * FALLBACK_OUTPUT_NANO;

let provider: FaultProvider;
let system: System;
let customer: Customer;

beforeAll(async () => {
  provider = await startFaultProvider();
  system = await startSystem({
    settings: { chat: { OPENAI_BASE_URL: provider.settings.OPENAI_BASE_URL } },
  });
}, 60_000);
beforeEach(async () => {
  customer = await system.provision();
});
afterAll(async () => {
  await system?.stop();
  await provider?.stop();
}, 30_000);

let models = 0;
/** Makes a model whose only target is unreachable, and its fallback model. */
async function makeModels(fallbackTarget: TargetInput = { provider: 'sim' }) {
  const name = `fallback-${models++}`;
  const fallback = await makeModel(system, customer, name, [fallbackTarget], pricing(3, 12));
  const model = await makeModel(system, customer, `${name}-requested`, [{ provider: 'sim-unreachable' }], {
    ...pricing(1, 4),
    fallback_models: [fallback],
  });
  return { model, fallback };
}

function call(model: string, fields: object = {}, headers: Record<string, string> = {}): Promise<HttpAnswer> {
  const body = { model, messages: [{ role: 'user', content: SAYS }], max_tokens: 100, ...fields };
  return postJson(`${system.stack.apiUrl}/v1/chat/completions`, body, customer.apiKey, headers);
}

const requestIdOf = ({ headers }: HttpAnswer) => String(headers['x-request-id']);

test.each(['plain', 'streamed'] as const)(
  'a %s call whose model fails is answered by its fallback model, billed at its price and named in a header',
  async (kind) => {
    const { model, fallback } = await makeModels();
    const answer = await call(model, { stream: kind === 'streamed' });
    expect(answer.status).toBe(200);
    expect(answer.headers['x-gateway-fallback-model']).toBe(fallback);
    // The reply names the model that answered.
    expect(answer.text).toContain(`"model":"${fallback}"`);
    await system.settled(customer);
    const id = requestIdOf(answer);
    expect([...(await readLedger(system, customer)).charges]).toEqual([[id, PAID_NANO]]);
    expect(await readUsageRecord(system, id)).toMatchObject({
      provider: 'sim',
      model: fallback,
      requested_model: model,
    });
    const shown = await system.dashboard.call('GET', `requests/${id}`, customer.token);
    expect(shown).toMatchObject({ model: fallback, requested_model: model });
  },
);

test('a call in the format of Anthropic is answered by a fallback model too', async () => {
  const { model, fallback } = await makeModels();
  const body = { model, messages: [{ role: 'user', content: SAYS }], max_tokens: 100 };
  const answer = await postJson(`${system.stack.apiUrl}/v1/messages`, body, customer.apiKey);
  expect([answer.status, answer.json.model]).toEqual([200, fallback]);
  expect(answer.headers['x-gateway-fallback-model']).toBe(fallback);
});

test('fallback models are switched off by a call, and by its key', async () => {
  const { model } = await makeModels();
  const off = await call(model, {}, { 'x-gateway-fallback': 'off' });
  expect([off.status, off.json.error.code]).toEqual([502, 'upstream_unavailable']);
  const unknown = await call(model, {}, { 'x-gateway-fallback': 'no' });
  expect([unknown.status, unknown.json.error.code]).toEqual([400, 'invalid_request']);
  const key = await system.dashboard.call('GET', `keys/${customer.keyId}`, customer.token);
  expect(key.fallback_models).toBe(true);
  const set = (fallback_models: boolean) =>
    system.dashboard.call('POST', `keys/${customer.keyId}/update`, customer.token, { fallback_models });
  expect((await set(false)).fallback_models).toBe(false);
  await until(async () => (await call(model)).status === 502);
  await set(true);
  await until(async () => (await call(model)).status === 200);
});

test('a key that may not call the fallback model gets the failure of the model that it named', async () => {
  const { model, fallback } = await makeModels();
  const limits = { allowed_models: [model] };
  await system.dashboard.call('POST', `keys/${customer.keyId}/update`, customer.token, limits);
  await until(async () => (await call(fallback)).status === 404);
  expect((await call(model)).json.error.code).toBe('upstream_unavailable');
});

test('operators see how often a fallback model answered', async () => {
  const { model, fallback } = await makeModels();
  await call(model);
  const samples = await readSamples(system.stack.adminUrl('chat'), 'chat_fallback_calls_total');
  expect(samples).toContainEqual(
    expect.objectContaining({ labels: { model, fallback_model: fallback }, value: 1 }),
  );
});

test('a fallback model must be a chat model of the catalog', async () => {
  const token = await system.operatorToken();
  const { model } = await makeModels();
  const set = (...fallback_models: string[]) =>
    system.dashboard.tryCall('POST', `admin/models/${model}/update`, token, { fallback_models });
  for (const [slug, why] of [
    ['sim/nowhere', 'sim/nowhere does not exist'],
    [model, 'contains the model itself'],
    ['sim/image', 'sim/image is not a chat model'],
  ] as const) {
    const { status, body } = await set(slug);
    expect([status, body.error.detail]).toEqual([400, expect.stringContaining(`fallback_models: ${why}`)]);
  }
  expect((await set()).status).toBe(200);
});

test('a call that is killed while a fallback model answers is charged at its price', async () => {
  const { model, fallback } = await makeModels({ provider: 'openai' });
  const content = provider.prompt(({ socket }) =>
    socket.write(`${streamHead()}${sse(ROLE_CHUNK)}${sse(WORD_CHUNKS[0])}`),
  );
  const body = { model, stream: true, max_tokens: 100, messages: [{ role: 'user', content }] };
  const url = `${system.stack.apiUrl}/v1/chat/completions`;
  const stream = await openStream(url, JSON.stringify(body), customer.apiKey);
  let text = '';
  for await (const piece of stream.body) {
    text += piece;
    if (text.includes('" one')) await system.stack.kill('chat');
  }
  expect(text).not.toContain(DONE);
  await system.settled(customer);
  const id = String(stream.headers['x-request-id']);
  const record = (await readUsageRecord(system, id))!;
  expect(record).toMatchObject({ model: fallback, requested_model: model });
  const paidNano =
    BigInt(record.input_tokens) * FALLBACK_INPUT_NANO + BigInt(record.output_tokens) * FALLBACK_OUTPUT_NANO;
  expect([...(await readLedger(system, customer)).charges]).toEqual([[id, paidNano]]);
});
