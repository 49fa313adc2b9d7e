import { once } from 'node:events';
import { until } from '@gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import OpenAI from 'openai';
import { silentMp3, silentWav } from './support/audio-files';
import { type HttpAnswer, openStream, sendRequest } from './support/http';
import { nano, readLedger } from './support/ledger';
import { makeModel } from './support/make-model';
import type { MeterEntry } from './support/meter';
import { type Customer, type System, startSystem } from './support/system';

jest.setTimeout(60_000);

/** Prices of the models with audio in nano-USD per token. */
const TEXT_IN = 1_000n;
const TEXT_OUT = 4_000n;
const AUDIO_IN = 10_000n;
const AUDIO_OUT = 20_000n;
const RATES = { input: 1, output: 4, cache_read: 1, cache_write: 1 };
const HEARS = { pricing: { tokens: { ...RATES, audio_input: 10 } } };
const SPEAKS = { pricing: { tokens: { ...RATES, audio_input: 10, audio_output: 20 } } };
const SAID = 'It rains in Oslo.';
const DIRECTIVE = `[[sim {"text":"${SAID}"}]]`;
const VOICE = { voice: 'alloy', format: 'wav' } as const;
const SPOKEN = { modalities: ['text', 'audio'], audio: VOICE };
const STREAMED = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'pcm16' }, stream: true };

let system: System;
let customer: Customer;
const models: Record<string, string> = {};

beforeAll(async () => {
  system = await startSystem();
  customer = await system.provision();
  await system.dashboard.call('POST', 'admin/providers', await system.operatorToken(), {
    ...{ id: 'google', kind: 'gemini', base_url: `${system.stack.simulatorUrl}/gemini` },
    credentials: [{ name: 'main', secret: 'a-key-of-google' }],
  });
  const make = async (name: string, provider: string, more: object) => {
    models[name] = await makeModel(system, customer, name, [{ provider }], more);
  };
  await make('speaks', 'openai', SPEAKS);
  await make('hears', 'google', HEARS);
  await make('reads', 'openai', {});
  await make('priced-anthropic', 'anthropic', SPEAKS);
}, 90_000);
beforeEach(async () => {
  customer = await system.provision();
});
afterEach(async () => {
  expect(await system.drift()).toBe(0);
  expect(await system.metric('billing', 'operator_loss_nano')).toBe(0);
});
afterAll(async () => {
  await system?.stop();
}, 30_000);

const post = (path: string, body: object, { apiKey } = customer): Promise<HttpAnswer> =>
  sendRequest(
    system.stack.apiUrl + path,
    'POST',
    {
      'content-type': 'application/json',
      ...(path.startsWith('/v1beta') ? { 'x-goog-api-key': apiKey } : { authorization: `Bearer ${apiKey}` }),
    },
    Buffer.from(JSON.stringify(body)),
  );
const chat = (model: string, fields: object, by = customer) =>
  post(
    '/v1/chat/completions',
    { model: models[model], messages: saying(), max_tokens: 1_000, ...fields },
    by,
  );

const saying = (...parts: object[]) => [
  { role: 'user', content: [{ type: 'text', text: DIRECTIVE }, ...parts] },
];
const audioPart = (data: string, format = 'wav') => ({ type: 'input_audio', input_audio: { data, format } });

const requestIdOf = ({ headers }: HttpAnswer) => String(headers['x-request-id']);

/** Returns the cost of a metered call, its audio at the prices of audio. */
function costOf(entry: MeterEntry): bigint {
  const { audio_prompt_tokens: heard, audio_completion_tokens: spoken } = entry;
  return (
    BigInt(entry.prompt_tokens - heard) * TEXT_IN +
    BigInt(heard) * AUDIO_IN +
    BigInt(entry.completion_tokens - spoken) * TEXT_OUT +
    BigInt(spoken) * AUDIO_OUT
  );
}

/** Checks that the call is charged to the nano, and returns what the provider has metered. */
async function expectPaid(requestId: string): Promise<MeterEntry> {
  const [entry] = (await system.meter({ requestId })).entries;
  await system.settled(customer);
  const { charges } = await readLedger(system, customer);
  expect(charges.get(requestId)).toBe(costOf(entry!));
  return entry!;
}

async function expectFree(): Promise<void> {
  await system.settled(customer);
  expect((await readLedger(system, customer)).charges.size).toBe(0);
}

describe('audio in a prompt', () => {
  test.each<[string, string, string, number]>([
    ['a WAV file', silentWav(3), 'wav', 30],
    ['an MP3 file', silentMp3(40), 'mp3', 11],
  ])('is heard by a model of OpenAI and charged at its own price: %s', async (_, data, format, tokens) => {
    const answer = await chat('speaks', { messages: saying(audioPart(data, format)) });
    expect([answer.status, answer.json.choices[0].message.content]).toEqual([200, SAID]);
    expect(answer.json.usage.prompt_tokens_details.audio_tokens).toBe(tokens);
    const entry = await expectPaid(requestIdOf(answer));
    expect(entry.audio_prompt_tokens).toBe(tokens);
    expect(nano(answer.json.usage.cost)).toBe(costOf(entry));
  });

  test.each([false, true])(
    'is translated to Gemini, which counts it by its own rule (streamed: %s)',
    async (stream) => {
      const fields = { messages: saying(audioPart(silentWav(3))), stream, stream_options: undefined };
      const answer = await chat(
        'hears',
        stream ? { ...fields, stream_options: { include_usage: true } } : fields,
      );
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"audio_tokens":96')]);
      expect((await expectPaid(requestIdOf(answer))).audio_prompt_tokens).toBe(96);
    },
  );

  test.each(['hears', 'speaks'])("is taken in Gemini's format by a model that %s", async (model) => {
    const parts = [{ text: DIRECTIVE }, { inlineData: { mimeType: 'audio/wav', data: silentWav(2) } }];
    const path = `/v1beta/models/${models[model]}:generateContent`;
    const answer = await post(path, { contents: [{ parts }], generationConfig: { maxOutputTokens: 1_000 } });
    expect([answer.status, answer.json.candidates[0].content.parts[0].text]).toEqual([200, SAID]);
    const entry = await expectPaid(requestIdOf(answer));
    expect(entry.audio_prompt_tokens).toBe(model === 'hears' ? 64 : 20);
    expect(answer.json.usageMetadata.promptTokensDetails).toContainEqual({
      modality: 'AUDIO',
      tokenCount: entry.audio_prompt_tokens,
    });
  });

  test.each(['hears', 'speaks'])('is taken in the format of responses by a model that %s', async (model) => {
    const content = [{ type: 'input_text', text: DIRECTIVE }, audioPart(silentWav(1))];
    const input = [{ role: 'user', content }];
    const answer = await post('/v1/responses', { model: models[model], input, max_output_tokens: 1_000 });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(SAID)]);
    expect((await expectPaid(requestIdOf(answer))).audio_prompt_tokens).toBe(model === 'hears' ? 32 : 10);
  });

  test.each<[string, string]>([
    ['a model without a price of audio', 'reads'],
    ['a model of Anthropic, even with a price', 'priced-anthropic'],
  ])('is refused by %s', async (_, model) => {
    const answer = await chat(model, { messages: saying(audioPart(silentWav(1))) });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request']);
    expect(answer.json.error.detail).toMatch(/audio/);
    await expectFree();
  });

  test('is held by its duration: seconds fit into funds that minutes do not', async () => {
    customer = await system.provision({ balanceUsd: 0.01 });
    const short = await chat('speaks', { messages: saying(audioPart(silentWav(1))), max_tokens: 100 });
    expect(short.status).toBe(200);
    const long = await chat('speaks', { messages: saying(audioPart(silentWav(240))), max_tokens: 100 });
    expect([long.status, long.json.error.code]).toEqual([402, 'insufficient_balance']);
  });

  test('counts for the TPM limit of its key', async () => {
    const hear = async (seconds: number) => {
      const messages = saying(audioPart(silentWav(seconds)));
      const { status, json } = await chat('speaks', { messages, max_tokens: 10 });
      return status === 200 ? status : json.error.code;
    };
    customer = await system.provision({ key: { tpm_limit: 1_000 } });
    // The first call of a minute is always admitted.
    expect([await hear(2), await hear(120), await hear(2)]).toEqual([200, 'tpm_rate_limited', 200]);
  });
});

describe('a spoken reply', () => {
  test('is returned as a whole and charged at its own price', async () => {
    const answer = await chat('speaks', SPOKEN);
    const { content, audio } = answer.json.choices[0].message;
    expect([answer.status, content, audio.transcript]).toEqual([200, null, SAID]);
    expect(Buffer.from(audio.data, 'base64').toString('latin1', 0, 4)).toBe('RIFF');
    expect(audio.expires_at).toBeGreaterThan(Date.now() / 1_000);
    const entry = await expectPaid(requestIdOf(answer));
    expect(entry.audio_completion_tokens).toBeGreaterThan(0);
    expect(answer.json.usage.completion_tokens_details.audio_tokens).toBe(entry.audio_completion_tokens);
    expect(nano(answer.json.usage.cost)).toBe(costOf(entry));
  });

  test("is streamed to OpenAI's client, which refers to it later", async () => {
    const client = new OpenAI({
      apiKey: customer.apiKey,
      baseURL: `${system.stack.apiUrl}/v1`,
      maxRetries: 0,
    });
    const common = {
      model: models.speaks!,
      modalities: ['text' as const, 'audio' as const],
      audio: { voice: 'alloy', format: 'pcm16' as const },
      max_completion_tokens: 1_000,
    };
    const question = { role: 'user' as const, content: DIRECTIVE };
    const stream = await client.chat.completions.create({ ...common, messages: [question], stream: true });
    const heard = { id: '', transcript: '', bytes: 0, expiresAt: 0 };
    for await (const { choices } of stream) {
      // The client's types lack the audio of a delta.
      const { audio } = (choices[0]?.delta ?? {}) as { audio?: Record<string, string & number> };
      if (!audio) continue;
      heard.id = audio.id ?? heard.id;
      heard.transcript += audio.transcript ?? '';
      heard.bytes += Buffer.from(audio.data ?? '', 'base64').length;
      heard.expiresAt = audio.expires_at ?? heard.expiresAt;
    }
    expect(heard).toMatchObject({ transcript: SAID, expiresAt: expect.any(Number) });
    expect(heard.bytes).toBe(Math.round((SAID.length / 16) * 48_000));
    await system.settled(customer);
    const later = await client.chat.completions
      .create({ ...common, messages: [question, { role: 'assistant', audio: { id: heard.id } }, question] })
      .withResponse();
    const requestId = later.response.headers.get('x-request-id')!;
    expect((await expectPaid(requestId)).audio_prompt_tokens).toBeGreaterThan(0);
    expect(later.data.choices[0]?.message.audio?.transcript).toBe(SAID);
    expect((await readLedger(system, customer)).charges.size).toBe(2);
  });

  test('is streamed with its figures on request', async () => {
    const answer = await chat('speaks', { ...STREAMED, stream_options: { include_usage: true } });
    const entry = await expectPaid(requestIdOf(answer));
    const [usage] = answer.text.match(/"usage":\{[^\n]*\}(?=\}\n)/g) ?? [];
    expect(JSON.parse(`{${usage}}`).usage).toMatchObject({
      completion_tokens: entry.completion_tokens,
      completion_tokens_details: { audio_tokens: entry.audio_completion_tokens },
      cost: Number(costOf(entry)) / 1e9,
    });
  });

  test('is paid for by a client that leaves in the middle, as the provider reports it', async () => {
    const text = 'One two three four five six seven eight nine ten. '.repeat(4);
    const content = `[[sim ${JSON.stringify({ text, chunk_delay_ms: 20 })}]]`;
    const body = {
      model: models.speaks,
      max_tokens: 1_000,
      ...STREAMED,
      messages: [{ role: 'user', content }],
    };
    const stream = await openStream(
      `${system.stack.apiUrl}/v1/chat/completions`,
      JSON.stringify(body),
      customer.apiKey,
    );
    await once(stream.body, 'data');
    stream.leave();
    const requestId = String(stream.headers['x-request-id']);
    await until(async () => (await system.meter({ requestId })).entries.length > 0, 30_000);
    const entry = await expectPaid(requestId);
    expect([entry.finished, entry.audio_completion_tokens > 0]).toEqual([true, true]);
  });

  test('is unknown to another account, and so is an id that nobody has received', async () => {
    const first = await chat('speaks', SPOKEN);
    const { id } = first.json.choices[0].message.audio;
    await system.settled(customer);
    const other = await system.provision();
    const after = (audio: object, by: Customer) =>
      chat('speaks', { messages: [...saying(), { role: 'assistant', audio }, ...saying()] }, by);
    for (const [audio, by] of [
      [{ id }, other],
      [{ id: id.slice(0, id.lastIndexOf('.')) }, customer],
      [{ id: `x${id}` }, customer],
    ] as const) {
      const answer = await after(audio, by);
      expect([answer.status, answer.json.error]).toEqual([
        400,
        expect.objectContaining({ code: 'invalid_request', detail: 'messages[1].audio.id: not found' }),
      ]);
    }
    expect((await after({ id }, customer)).status).toBe(200);
    // Clients send the message back as they have received it.
    const whole = await after(first.json.choices[0].message.audio, customer);
    expect(whole.status).toBe(200);
  });

  test.each<[string, string]>([
    ['a model without a price of spoken replies', 'hears'],
    ['a model that has no price of audio', 'reads'],
    ['a model of Anthropic, even with a price', 'priced-anthropic'],
  ])('is refused by %s', async (_, model) => {
    const answer = await chat(model, SPOKEN);
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request']);
    expect(answer.json.error.detail).toMatch(/^(audio|modalities): /);
    await expectFree();
  });

  test('is held at the price of audio', async () => {
    // Enough for 1,000 tokens of text, not of audio.
    customer = await system.provision({ balanceUsd: 0.006 });
    const answer = await chat('speaks', { ...SPOKEN, max_tokens: 1_000 });
    const lowered = Number(answer.headers['x-gateway-max-tokens']);
    expect([answer.status, lowered > 0 && lowered < 300]).toEqual([200, true]);
    await expectPaid(requestIdOf(answer));
  });
});

test('prices of audio are in the list of models', async () => {
  const headers = { authorization: `Bearer ${customer.apiKey}` };
  const answer = await sendRequest(`${system.stack.apiUrl}/v1/models/sim/audio`, 'GET', headers);
  expect(answer.json.pricing.tokens).toMatchObject({
    audio_input: 10,
    audio_cache_read: 2,
    audio_output: 20,
  });
});
