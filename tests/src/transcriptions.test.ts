import { once } from 'node:events';
import { request } from 'node:http';
import { until, wav } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { CLOSED_PORT } from './support/closed-port';
import { nano, readLedger } from './support/ledger';
import { type Customer, type System, startSystem } from './support/system';
import { readUsageRecord } from './support/usage-record';

jest.setTimeout(120_000);

let system: System;
let customer: Customer;
let token: string;

beforeAll(async () => {
  system = await startSystem({ settings: { media: { INSTANCE_LEASE_MS: '2000' } } });
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
const audioFile = (seconds = 3) => toFile(wav(seconds), 'speech.wav');
const directed = (directive: object) => `[[sim ${JSON.stringify(directive)}]]`;

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly requestId: string;
  readonly text: string;
  /** USD. */
  readonly cost: string | null;
}

/** Sends a form; a field's list is sent as several parts. */
async function transcribe(
  fields: Readonly<Record<string, string | readonly string[]>>,
  { path = 'transcriptions', file = wav(3) as Buffer | null, apiKey = customer.apiKey } = {},
): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'sim/transcription', ...fields }))
    for (const one of [value].flat()) form.append(name, one);
  if (file) form.append('file', new Blob([new Uint8Array(file)]), 'speech.wav');
  const response = await fetch(`${system.stack.apiUrl}/v1/audio/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
    body: form,
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    requestId: response.headers.get('x-request-id') ?? '',
    text: await response.text(),
    cost: response.headers.get('x-gateway-cost'),
  };
}
const errorOf = ({ text }: Answer) => JSON.parse(text).error;

/** $0.36 an hour. */
const secondsNano = (seconds: number) => BigInt(Math.ceil(seconds * 100_000));
const tokensNano = (input: number, output: number) => BigInt(input) * 2_500n + BigInt(output) * 10_000n;

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
  test('transcribes a file, and pays for the seconds that its provider reports', async () => {
    const reply = await client().audio.transcriptions.create({
      ...{ model: 'sim/transcription', file: await audioFile(), language: 'en', temperature: 0.2 },
    });
    expect(reply).toMatchObject({
      text: 'Audio of 3000 milliseconds.',
      usage: { type: 'duration', seconds: 3 },
    });
    await expectCharge(secondsNano(3));
  });

  test('gets segments, and sends lists of parts', async () => {
    const reply = await client().audio.transcriptions.create({
      ...{ model: 'sim/transcription', file: await audioFile(), response_format: 'verbose_json' },
      timestamp_granularities: ['word', 'segment'],
    });
    expect([reply.duration, reply.segments?.[0]?.end]).toEqual([3, 3]);
    await expectCharge(secondsNano(3));
  });

  test('streams a transcript, and pays for the tokens that its provider counts', async () => {
    const stream = await client().audio.transcriptions.create({
      ...{ model: 'sim/transcription-tokens', file: await audioFile(), stream: true, prompt: 'A cat.' },
    });
    let text = '';
    let usage: OpenAI.Audio.TranscriptionTextDoneEvent['usage'];
    for await (const event of stream) {
      if (event.type === 'transcript.text.delta') text += event.delta;
      else if (event.type === 'transcript.text.done') usage = event.usage;
    }
    expect(text).toBe('Audio of 3000 milliseconds.');
    expect(usage).toMatchObject({ type: 'tokens', input_token_details: { audio_tokens: 30 } });
    await expectCharge(tokensNano(usage!.input_tokens, usage!.output_tokens));
  });

  test('translates a file', async () => {
    const { text } = await client().audio.translations.create({
      ...{ model: 'sim/transcription', file: await audioFile() },
    });
    expect(text).toBe('Audio of 3000 milliseconds.');
    await expectCharge(secondsNano(3));
  });
});

test.each([
  ['text', 'text/plain; charset=utf-8', 'Audio of 3000 milliseconds.\n'],
  ['srt', 'text/plain; charset=utf-8', '1\n00:00:00,000 --> 00:00:03,000\nAudio of 3000 milliseconds.\n\n'],
  [
    'vtt',
    'text/vtt; charset=utf-8',
    'WEBVTT\n\n00:00:00.000 --> 00:00:03.000\nAudio of 3000 milliseconds.\n\n',
  ],
])('%s has no usage, and is charged by the duration of the file', async (response_format, type, text) => {
  const answer = await transcribe({ response_format });
  expect([answer.status, answer.type, answer.text]).toEqual([200, type, text]);
  await expectCharge(secondsNano(3));
  expect(await readUsageRecord(system, answer.requestId)).toMatchObject({ units: { audio_second: 3 } });
});

test('text of a model that is priced by tokens is charged by its tokens', async () => {
  const answer = await transcribe({ model: 'sim/transcription-tokens', response_format: 'text' });
  expect([answer.type, answer.text]).toEqual(['text/plain; charset=utf-8', 'Audio of 3000 milliseconds.\n']);
  const [entry] = (await system.meter({ requestId: answer.requestId })).entries;
  await expectCharge(tokensNano(entry!.prompt_tokens, entry!.completion_tokens));
});

test.each<[string, Readonly<Record<string, string>>, boolean]>([
  ['json', { response_format: 'json' }, true],
  ['a translation', { response_format: 'verbose_json', path: 'translations' }, true],
  ['text priced by tokens', { model: 'sim/transcription-tokens', response_format: 'text' }, true],
  ['text priced by duration, whose charge is known at its end', { response_format: 'text' }, false],
  ['a stream', { stream: 'true' }, false],
])(
  'the header has the charge of a whole reply: %s',
  async (_, { path = 'transcriptions', ...fields }, isWhole) => {
    const { cost } = await transcribe(fields, { path });
    await system.settled(customer);
    const charges = [...(await readLedger(system, customer)).charges.values()];
    expect(charges).toEqual([isWhole ? nano(Number(cost)) : expect.any(BigInt)]);
    expect(cost !== null).toBe(isWhole);
  },
);

test('a stream of a model that does not stream has its whole transcript', async () => {
  const { type, text } = await transcribe({ stream: 'true' });
  const events = text
    .split('\n\n')
    .filter(Boolean)
    .map((event) => JSON.parse(event.replace(/^data: /, '')));
  expect([type, events.map((event) => event.type)]).toEqual([
    'text/event-stream',
    ['transcript.text.delta', 'transcript.text.done'],
  ]);
  await expectCharge(secondsNano(3));
});

test.each([{}, { stream: 'true' }, { response_format: 'text' }])(
  'a model of Mistral transcribes: %j',
  async (fields) => {
    const { status, text } = await transcribe({
      model: 'mistral/voxtral-mini-2507',
      language: 'en',
      ...fields,
    });
    expect([status, text]).toEqual([200, expect.stringContaining('3000 milliseconds')]);
    if ('stream' in fields) expect(text).toMatch(/"type":"transcript.text.done".*"seconds":3\b/);
    // $0.12 an hour.
    await expectCharge(100_000n);
  },
);

test('a model of Mistral refuses what its provider does not have', async () => {
  const answer = await transcribe({ model: 'mistral/voxtral-mini-2507', response_format: 'srt' });
  expect(errorOf(answer)).toMatchObject({ code: 'invalid_request', detail: expect.stringContaining('srt') });
  await expectNoCharge();
});

test('the hold covers no more than two seconds above the duration, and the charge never exceeds it', async () => {
  const before = await lossNano();
  const answer = await transcribe({ prompt: directed({ seconds: 60 }) });
  expect(JSON.parse(answer.text).usage.seconds).toBe(60);
  await expectCharge(secondsNano(5));
  expect((await lossNano()) - before).toBe(secondsNano(55));
});

test.each([
  ['no file', {}, { file: null }, 'invalid_request'],
  ['an empty file', {}, { file: Buffer.alloc(0) }, 'invalid_request'],
  ['a file that is not audio', {}, { file: Buffer.from('{"a":"b"}, and so on') }, 'invalid_request'],
  ['an empty model', { model: '' }, {}, 'invalid_model'],
  ['an unknown field', { tone: 'happy' }, {}, 'invalid_request'],
  ['a field twice', { language: ['en', 'de'] }, {}, 'invalid_request'],
  ['an unknown format', { response_format: 'yaml' }, {}, 'invalid_request'],
  ['a temperature of 2', { temperature: '2' }, {}, 'invalid_request'],
  ['unknown granularities', { 'timestamp_granularities[]': ['word', 'syllable'] }, {}, 'invalid_request'],
  ['a language of a translation', { language: 'en' }, { path: 'translations' }, 'invalid_request'],
  ['a model of speech', { model: 'sim/speech' }, {}, 'model_not_found'],
  ['an unknown model', { model: 'sim/none' }, {}, 'model_not_found'],
])('refuses %s, and charges nothing', async (_what, fields, options, code) => {
  expect(errorOf(await transcribe(fields, options)).code).toBe(code);
  await expectNoCharge();
});

test('refuses JSON', async () => {
  const response = await fetch(`${system.stack.apiUrl}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.apiKey}`, 'content-type': 'application/json' },
    body: '{"model":"sim/transcription"}',
  });
  expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
    400,
    'invalid_request',
  ]);
});

test.each([
  ['answers 500', { status: 500 }, 502, 'upstream_failed'],
  ['answers 429', { status: 429, retry_after: 3 }, 429, 'rate_limited'],
  ['refuses a parameter', { status: 400, error: 'No such language.' }, 400, 'invalid_request'],
])('a provider that %s costs nothing', async (_what, directive, status, code) => {
  const answer = await transcribe({ prompt: directed(directive) });
  expect([answer.status, errorOf(answer).code]).toEqual([status, code]);
  await expectNoCharge();
});

test('the file is sent again to the next target when the first cannot be reached', async () => {
  await system.dashboard.call('POST', 'admin/models', token, {
    ...{ slug: 'sim/failover-hearing', name: 'x' },
    ...{ input_modalities: ['audio'], output_modalities: ['transcription'] },
    targets: ['unreachable', 'sim'].map((provider, priority) => ({
      ...{ provider, priority, upstream_model: 'transcription' },
    })),
    pricing: { audio: { hour: 0.36 } },
  });
  let answer!: Answer;
  await until(async () => {
    answer = await transcribe({ model: 'sim/failover-hearing' });
    return answer.status === 200;
  });
  await expectCharge(secondsNano(3));
  expect(await readUsageRecord(system, answer.requestId)).toMatchObject({ provider: 'sim' });
});

test.each([{ drop_after_chunks: 2 }, { drop_after_chunks: 2, stream_error: true }])(
  'a stream that breaks off ends with an error event, and is an operator loss: %j',
  async (how) => {
    const prompt = directed({ chunk_delay_ms: 50, ...how });
    const before = await lossNano();
    const { status, text } = await transcribe({ model: 'sim/transcription-tokens', stream: 'true', prompt });
    expect([status, JSON.parse(text.trimEnd().split('data: ').at(-1)!).error.code]).toEqual([
      200,
      'upstream_failed',
    ]);
    await expectNoCharge();
    expect(await lossNano()).toBeGreaterThan(before);
  },
);

test('a JSON reply that breaks off is upstream_failed, and an operator loss', async () => {
  const before = await lossNano();
  const answer = await transcribe({ prompt: directed({ drop_after_chunks: 0 }) });
  expect([answer.status, errorOf(answer).code]).toEqual([502, 'upstream_failed']);
  await expectNoCharge();
  expect((await lossNano()) - before).toBe(secondsNano(5));
});

test('a call whose client disconnects is carried out and charged', async () => {
  const prompt = directed({ chunk_delay_ms: 150 });
  const { call, response } = await openCall({ model: 'sim/transcription-tokens', stream: 'true', prompt });
  const requestId = String(response.headers['x-request-id']);
  await once(response, 'data');
  call.destroy();
  await until(async () => (await readUsageRecord(system, requestId)) !== undefined);
  const [entry] = (await system.meter({ requestId })).entries;
  expect(entry).toMatchObject({ finished: true });
  await expectCharge(tokensNano(entry!.prompt_tokens, entry!.completion_tokens));
});

test('a call of a killed instance is an operator loss, and nothing stays held', async () => {
  const before = await lossNano();
  const prompt = directed({ chunk_delay_ms: 1_000 });
  const { response } = await openCall({ model: 'sim/transcription-tokens', stream: 'true', prompt });
  await once(response, 'data');
  let text = '';
  response.on('data', (bytes: Buffer) => {
    text += bytes.toString();
  });
  const ended = once(response, 'close').catch(() => {});
  await system.stack.kill('media', 0);
  await ended;
  expect(text).not.toContain('transcript.text.done');
  await system.stack.ready();
  await until(async () => (await system.bills()) === 0, 20_000);
  await expectNoCharge();
  expect(await lossNano()).toBeGreaterThan(before);
});

describe('limits', () => {
  test('a call above the per-request cap is refused with both amounts', async () => {
    const { apiKey } = await system.provision({ key: { request_cost_limit: 0.0001 } });
    expect(errorOf(await transcribe({}, { apiKey }))).toMatchObject({
      ...{ code: 'request_cost_limit', limit: 0.0001, used: 0.0005 },
    });
  });

  test('an account without funds is refused', async () => {
    const { apiKey } = await system.provision({ balanceUsd: 0 });
    expect(errorOf(await transcribe({}, { apiKey })).code).toBe('insufficient_balance');
  });

  test('requests per minute count', async () => {
    const { apiKey } = await system.provision({ key: { rpm_limit: 1 } });
    expect((await transcribe({}, { apiKey })).status).toBe(200);
    expect(errorOf(await transcribe({}, { apiKey })).code).toBe('rpm_rate_limited');
  });

  test('tokens per minute count for a model that is priced by tokens', async () => {
    const { apiKey } = await system.provision({ key: { tpm_limit: 20 } });
    const answer = await transcribe({ model: 'sim/transcription-tokens' }, { apiKey });
    expect(errorOf(answer).code).toBe('tpm_rate_limited');
  });

  test('a model outside the allowlist is not found', async () => {
    const { apiKey } = await system.provision({ key: { allowed_models: ['sim/chat'] } });
    expect(errorOf(await transcribe({}, { apiKey })).code).toBe('model_not_found');
  });
});

/** Sends a call with a file of 3 seconds, and returns it when its reply begins. */
async function openCall(fields: Readonly<Record<string, string>>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([new Uint8Array(wav(3))]), 'speech.wav');
  const encoded = new Response(form);
  const body = Buffer.from(await encoded.arrayBuffer());
  const call = request(`${system.stack.apiUrl}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${customer.apiKey}`,
      'content-type': encoded.headers.get('content-type')!,
      'content-length': body.length,
    },
  });
  call.on('error', () => {});
  call.end(body);
  const [response] = await once(call, 'response');
  response.on('error', () => {});
  return { call, response };
}
