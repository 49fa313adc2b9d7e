import { once } from 'node:events';
import { request } from 'node:http';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import OpenAI from 'openai';
import { CLOSED_PORT } from './support/closed-port';
import { type HttpAnswer, postJson } from './support/http';
import { readLedger } from './support/ledger';
import { type Customer, type System, startSystem } from './support/system';
import { readUsageRecord } from './support/usage-record';

jest.setTimeout(120_000);

let system: System;
let customer: Customer;
let token: string;

beforeAll(async () => {
  system = await startSystem({
    settings: { media: { INSTANCE_LEASE_MS: '2000' } },
  });
  token = await system.operatorToken();
  const credentials = [{ name: 'main', secret: 'a-key' }];
  await system.dashboard.call('POST', 'admin/providers', token, {
    ...{ id: 'unreachable', kind: 'openai', base_url: `http://127.0.0.1:${CLOSED_PORT}/v1`, credentials },
  });
}, 60_000);
beforeEach(async () => {
  customer = await system.provision();
});
afterAll(async () => {
  if (system) expect(await system.drift()).toBe(0);
  await system?.stop();
}, 30_000);

const client = ({ apiKey } = customer) =>
  new OpenAI({ apiKey, baseURL: `${system.stack.apiUrl}/v1`, maxRetries: 0 });
const speak = (fields: object, { apiKey } = customer): Promise<HttpAnswer> =>
  postJson(
    `${system.stack.apiUrl}/v1/audio/speech`,
    { model: 'sim/speech', input: 'Hello', voice: 'alloy', ...fields },
    apiKey,
  );
const directed = (directive: object, text = 'Hello') => `[[sim ${JSON.stringify(directive)}]] ${text}`;
const requestIdOf = ({ headers }: HttpAnswer) => String(headers['x-request-id']);

/** USD per million, of characters or tokens, in nano-USD per one. */
const CHARACTER_NANO = 15_000n;
const tokensNano = (input: number, output: number) => BigInt(input) * 600n + BigInt(output) * 12_000n;

/** Checks that the account has this charge and no other, and that nothing is held. */
async function expectCharge(costNano: bigint): Promise<void> {
  await system.settled(customer);
  expect([...(await readLedger(system, customer)).charges.values()]).toEqual([costNano]);
}

async function expectNoCharge(): Promise<void> {
  await system.settled(customer);
  expect((await readLedger(system, customer)).charges.size).toBe(0);
}

const lossNano = async () => BigInt(await system.metric('billing', 'operator_loss_nano'));

describe('the openai package', () => {
  test.each([
    ['mp3', 'audio/mpeg', [0xff, 0xfb]],
    ['wav', 'audio/wav', [0x52, 0x49]],
  ] as const)('receives %s, and pays for its characters', async (response_format, type, magic) => {
    const input = 'Ein schöner Tag 🙂';
    const reply = await client().audio.speech.create({
      ...{ model: 'sim/speech', voice: 'alloy', input, response_format, speed: 1.5 },
    });
    expect(reply.headers.get('content-type')).toBe(type);
    expect([...Buffer.from(await reply.arrayBuffer()).subarray(0, 2)]).toEqual(magic);
    await expectCharge(17n * CHARACTER_NANO);
    const record = await readUsageRecord(system, reply.headers.get('x-request-id') ?? '');
    expect(record).toMatchObject({ units: { character: 17 }, input_tokens: '0' });
    expect(reply.headers.get('x-ratelimit-limit-requests')).toBeNull();
  });

  test('receives audio of a model that is priced by tokens, and pays for those that its provider counts', async () => {
    const input = 'The quick brown fox jumps over the lazy dog.';
    const reply = await client().audio.speech.create({
      ...{
        model: 'sim/speech-tokens',
        voice: 'alloy',
        input,
        instructions: 'Whisper.',
        response_format: 'pcm',
      },
    });
    const requestId = reply.headers.get('x-request-id') ?? '';
    const audio = await reply.arrayBuffer();
    expect([reply.headers.get('content-type'), audio.byteLength]).toEqual(['audio/pcm', 44 * 3_000]);
    const [entry] = (await system.meter({ requestId })).entries;
    await expectCharge(tokensNano(entry!.prompt_tokens, entry!.completion_tokens));
    expect(entry!.completion_tokens).toBe(Math.ceil((44 / 16) * (1_250 / 60)));
  });
});

test('events carry the audio and the usage', async () => {
  const { status, headers, text } = await speak({
    ...{ model: 'sim/speech-tokens', stream_format: 'sse', response_format: 'pcm', input: 'x'.repeat(32) },
  });
  expect([status, headers['content-type']]).toEqual([200, 'text/event-stream']);
  const events = text
    .split('\n\n')
    .filter(Boolean)
    .map((event) => JSON.parse(event.replace(/^data: /, '')));
  const audio = events.slice(0, -1).map((event) => Buffer.from(event.audio, 'base64'));
  expect(events.slice(0, -1).map(({ type }) => type)).toEqual(Array(4).fill('speech.audio.delta'));
  expect(Buffer.concat(audio)).toHaveLength(2 * 48_000);
  const { type, usage } = events.at(-1);
  expect(type).toBe('speech.audio.done');
  await expectCharge(tokensNano(usage.input_tokens, usage.output_tokens));
});

test('audio arrives as its provider sends it', async () => {
  const body = JSON.stringify({
    ...{ model: 'sim/speech', voice: 'alloy', input: directed({ chunks: 3, chunk_delay_ms: 400 }) },
  });
  const call = openCall(body);
  const startMs = performance.now();
  const [response] = await once(call, 'response');
  await once(response, 'data');
  const firstMs = performance.now() - startMs;
  await once(response, 'end');
  expect(performance.now() - startMs - firstMs).toBeGreaterThan(500);
});

test.each([
  ['no model', { model: undefined }, 'missing_parameter', 'model'],
  ['an empty model', { model: '' }, 'invalid_model', 'model'],
  ['no input', { input: '' }, 'missing_parameter', 'input'],
  ['no voice', { voice: undefined }, 'missing_parameter', 'voice'],
  ['4,097 characters', { input: 'x'.repeat(4_097) }, 'invalid_request', undefined],
  ['an unknown field', { tone: 'happy' }, 'invalid_request', undefined],
  ['an unknown format', { response_format: 'ogg' }, 'invalid_request', undefined],
  ['a speed of 5', { speed: 5 }, 'invalid_request', undefined],
  ['a chat model', { model: 'sim/chat' }, 'model_not_found', undefined],
  ['an unknown model', { model: 'sim/none' }, 'model_not_found', undefined],
])('refuses %s, and charges nothing', async (_what, fields, code, param) => {
  const { json } = await speak(fields);
  expect([json.error.code, json.error.param]).toEqual([code, param]);
  await expectNoCharge();
});

test('accepts 4,096 characters beyond the basic plane', async () => {
  expect((await speak({ input: '🙂'.repeat(4_096) })).status).toBe(200);
  await expectCharge(4_096n * CHARACTER_NANO);
});

test.each([
  ['answers 500', { status: 500 }, 502, 'upstream_failed'],
  ['answers 429', { status: 429, retry_after: 3 }, 429, 'rate_limited'],
  ['refuses a parameter', { status: 400, error: 'No such voice.' }, 400, 'invalid_request'],
  ['rejects the key', { status: 401 }, 502, 'upstream_unavailable'],
])('a provider that %s costs nothing', async (_what, directive, status, code) => {
  const answer = await speak({ input: directed(directive) });
  expect([answer.status, answer.json.error.code]).toEqual([status, code]);
  await expectNoCharge();
});

test('a provider that resets before it answers is an operator loss', async () => {
  const before = await lossNano();
  const input = directed({ reset: true });
  const answer = await speak({ input });
  expect([answer.status, answer.json.error.code]).toEqual([502, 'upstream_failed']);
  await expectNoCharge();
  expect((await lossNano()) - before).toBe(BigInt(input.length) * CHARACTER_NANO);
});

test('the next target answers when the first cannot be reached', async () => {
  await system.dashboard.call('POST', 'admin/models', token, {
    ...{ slug: 'sim/failover-speech', name: 'x', input_modalities: ['text'], output_modalities: ['speech'] },
    targets: ['unreachable', 'sim'].map((provider, priority) => ({
      ...{ provider, priority, upstream_model: 'speech' },
    })),
    pricing: { audio: { million_characters: 15 } },
  });
  let answer!: HttpAnswer;
  await until(async () => {
    answer = await speak({ model: 'sim/failover-speech' });
    return answer.status === 200;
  });
  await expectCharge(5n * CHARACTER_NANO);
  expect(await readUsageRecord(system, requestIdOf(answer))).toMatchObject({
    provider: 'sim',
    error_code: '',
  });
});

describe('a stream that breaks off', () => {
  test('breaks the connection, and is an operator loss', async () => {
    const before = await lossNano();
    const input = directed({ chunks: 4, chunk_delay_ms: 50, drop_after_chunks: 2 }, 'x'.repeat(100));
    const call = openCall(JSON.stringify({ model: 'sim/speech', voice: 'alloy', input }));
    const [response] = await once(call, 'response');
    expect(response.statusCode).toBe(200);
    response.resume();
    await expect(once(response, 'end')).rejects.toThrow('aborted');
    await expectNoCharge();
    expect((await lossNano()) - before).toBe(BigInt(input.length) * CHARACTER_NANO);
  });

  test.each([{ drop_after_chunks: 2 }, { drop_after_chunks: 2, stream_error: true }])(
    'ends events with an error: %j',
    async (how) => {
      const input = directed({ chunks: 4, chunk_delay_ms: 50, ...how }, 'x'.repeat(100));
      const { text } = await speak({ model: 'sim/speech-tokens', stream_format: 'sse', input });
      expect(JSON.parse(text.trimEnd().split('data: ').at(-1)!)).toMatchObject({
        error: { type: 'upstream_error', code: 'upstream_failed' },
      });
      await expectNoCharge();
    },
  );
});

test.each(['sim/speech', 'sim/speech-tokens'])(
  'a call of %s whose client disconnects is carried out and charged',
  async (model) => {
    const input = directed({ chunks: 5, chunk_delay_ms: 100 }, 'x'.repeat(400));
    const call = openCall(JSON.stringify({ model, voice: 'alloy', input }));
    const [response] = await once(call, 'response');
    const requestId = String(response.headers['x-request-id']);
    await once(response, 'data');
    call.destroy();
    await until(async () => (await readUsageRecord(system, requestId)) !== undefined);
    const [entry] = (await system.meter({ requestId })).entries;
    expect(entry).toMatchObject({ finished: true });
    await expectCharge(
      model === 'sim/speech'
        ? BigInt(input.length) * CHARACTER_NANO
        : tokensNano(entry!.prompt_tokens, entry!.completion_tokens),
    );
  },
);

test('a call of a killed instance is an operator loss, and nothing stays held', async () => {
  const before = await lossNano();
  const input = directed({ chunks: 20, chunk_delay_ms: 200 }, 'x'.repeat(400));
  const call = openCall(JSON.stringify({ model: 'sim/speech', voice: 'alloy', input }));
  const [response] = await once(call, 'response');
  await once(response, 'data');
  response.resume();
  const broken = expect(once(response, 'end')).rejects.toThrow('aborted');
  await system.stack.kill('media', 0);
  await broken;
  await system.stack.ready();
  await until(async () => (await system.bills()) === 0, 20_000);
  await expectNoCharge();
  expect((await lossNano()) - before).toBe(BigInt(input.length) * CHARACTER_NANO);
});

describe('limits', () => {
  test('a call above the per-request cap is refused with both amounts', async () => {
    const capped = await system.provision({ key: { request_cost_limit: 0.0001 } });
    const { json } = await speak({ input: 'x'.repeat(10) }, capped);
    expect(json).toMatchObject({ error: { code: 'request_cost_limit', limit: 0.0001, used: 0.00015 } });
  });

  test('an account without funds is refused', async () => {
    const poor = await system.provision({ balanceUsd: 0 });
    expect((await speak({}, poor)).json.error.code).toBe('insufficient_balance');
  });

  test('requests per minute count', async () => {
    const slow = await system.provision({ key: { rpm_limit: 1 } });
    expect((await speak({}, slow)).status).toBe(200);
    expect((await speak({}, slow)).json.error.code).toBe('rpm_rate_limited');
  });

  test('tokens per minute count for a model that is priced by tokens', async () => {
    const slow = await system.provision({ key: { tpm_limit: 100 } });
    expect((await speak({ model: 'sim/speech-tokens', input: 'x'.repeat(300) }, slow)).status).toBe(200);
    expect((await speak({ model: 'sim/speech-tokens' }, slow)).json.error.code).toBe('tpm_rate_limited');
  });

  test('a model outside the allowlist is not found', async () => {
    const limited = await system.provision({ key: { allowed_models: ['sim/chat'] } });
    expect((await speak({}, limited)).json.error.code).toBe('model_not_found');
  });
});

/** Sends a call and returns it before its reply has ended. */
function openCall(body: string) {
  const call = request(`${system.stack.apiUrl}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.apiKey}`, 'content-type': 'application/json' },
  });
  call.end(body);
  call.on('error', () => {});
  return call;
}
