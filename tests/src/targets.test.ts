import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CLOSED_PORT } from './support/closed-port';
import {
  type FaultProvider,
  type Misbehavior,
  type ProviderCall,
  startFaultProvider,
} from './support/fault-provider';
import { type HttpAnswer, openStream, postJson } from './support/http';
import { readLedger } from './support/ledger';
import { MADE_INPUT_NANO, MADE_OUTPUT_NANO, makeModel, type TargetInput } from './support/make-model';
import { readSamples } from './support/metrics';
import {
  COMPLETION,
  DONE,
  httpReply,
  providerError,
  ROLE_CHUNK,
  STREAM,
  sse,
  streamHead,
  WORD_CHUNKS,
} from './support/provider-replies';
import { type Customer, type System, startSystem } from './support/system';
import { startTlsFaults, type TlsFaults } from './support/tls-faults';
import { readUsageRecord } from './support/usage-record';

const CIRCUIT_OPEN_MS = 2_000;
/** Timeout of a target that must time out; others have minutes. */
const SHORT_MS = 150;
const USAGE = { prompt_tokens: 30, completion_tokens: 7 };
const PAID_NANO = 30n * MADE_INPUT_NANO + 7n * MADE_OUTPUT_NANO;
const SAYS = `[[sim ${JSON.stringify({ text: 'from the simulator', usage: USAGE })}]]`;

let provider: FaultProvider;
let silentTls: TlsFaults;
let system: System;
let customer: Customer;

beforeAll(async () => {
  provider = await startFaultProvider();
  silentTls = await startTlsFaults();
  silentTls.fault = 'silent';
  system = await startSystem({
    autoRestart: false,
    settings: {
      chat: {
        OPENAI_BASE_URL: provider.settings.OPENAI_BASE_URL,
        XAI_BASE_URL: silentTls.baseUrl,
        DEEPSEEK_BASE_URL: `http://127.0.0.1:${CLOSED_PORT}/v1`,
        CIRCUIT_OPEN_MS: `${CIRCUIT_OPEN_MS}`,
        KEEP_ALIVE_MS: '300',
      },
    },
  });
}, 60_000);
beforeEach(async () => {
  customer = await system.provision();
});
afterAll(async () => {
  await system?.stop();
  await provider?.stop();
  await silentTls?.stop();
}, 30_000);

let models = 0;
const modelTo = (...targets: TargetInput[]) => makeModel(system, customer, `made-${models++}`, targets);

interface Endpoint {
  path(model: string): string;
  body(model: string, content: string): object;
}
const COMPLETIONS: Endpoint = {
  path: () => '/v1/chat/completions',
  body: (model, content) => ({ model, messages: [{ role: 'user', content }], max_tokens: 100 }),
};
const RESPONSES: Endpoint = {
  path: () => '/v1/responses',
  body: (model, input) => ({ model, input, max_output_tokens: 100 }),
};
const CONTENTS: Endpoint = {
  path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
  body: (_model, text) => ({
    contents: [{ role: 'user', parts: [{ text }] }],
    generationConfig: { maxOutputTokens: 100 },
  }),
};

function call(
  model: string,
  does: Misbehavior | undefined,
  fields: object = {},
  { path, body } = COMPLETIONS,
): Promise<HttpAnswer> {
  const content = `${does ? provider.prompt(does) : ''} ${SAYS}`;
  const all = { ...body(model, content), ...fields };
  return postJson(`${system.stack.apiUrl}${path(model)}`, all, customer.apiKey);
}

const textOf = ({ json }: HttpAnswer): string => json.choices[0].message.content;
const requestIdOf = ({ headers }: HttpAnswer) => String(headers['x-request-id']);

/** Checks the only charge and the provider in its record. */
async function expectPaidTo(id: string, answer: HttpAnswer, paidNano = PAID_NANO): Promise<void> {
  await system.settled(customer);
  expect([...(await readLedger(system, customer)).charges]).toEqual([[requestIdOf(answer), paidNano]]);
  expect(await readUsageRecord(system, requestIdOf(answer))).toMatchObject({ provider: id });
}

const answers =
  (status: number, body: unknown, headers?: Record<string, string>): Misbehavior =>
  ({ socket }) =>
    socket.write(httpReply(status, body, headers));
const isSilent: Misbehavior = () => {};

/** The start of a stream without content. */
const OPENING = `${streamHead()}${sse(ROLE_CHUNK)}`;
const FAULTS: readonly [string, TargetInput, Misbehavior | undefined][] = [
  ['refuses connections', { provider: 'deepseek' }, undefined],
  ['does not connect in time', { provider: 'xai', connect_timeout_ms: SHORT_MS }, undefined],
  ['resets the connection', { provider: 'openai' }, ({ socket }) => socket.resetAndDestroy()],
  ['answers 500', { provider: 'openai' }, answers(500, providerError('broken'))],
  ['answers 429', { provider: 'openai' }, answers(429, providerError('slow'), { 'retry-after': '9' })],
  ['sends no response in time', { provider: 'openai', first_byte_timeout_ms: SHORT_MS }, isSilent],
];

describe.each([
  ['plain call', COMPLETIONS, {}, 'from the simulator'],
  ['streamed call', COMPLETIONS, { stream: true }, DONE],
  ['plain call of responses', RESPONSES, {}, 'from the simulator'],
  ['streamed call of responses', RESPONSES, { stream: true }, 'event: response.completed'],
  ['streamed call of contents', CONTENTS, {}, '"finishReason":"STOP"'],
] as const)('a %s', (_kind, endpoint, fields, end) => {
  test.each(FAULTS)('whose first target %s is answered by the next', async (_what, target, does) => {
    const answer = await call(await modelTo(target, { provider: 'sim' }), does, fields, endpoint);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(end);
    await expectPaidTo('sim', answer);
  });

  test('whose first target rejects the credential is answered by the next, and so is the next call', async () => {
    const model = await modelTo({ provider: 'openai' }, { provider: 'sim' });
    const before = provider.calls;
    await expectPaidTo('sim', await call(model, answers(401, providerError('who?')), fields, endpoint));
    expect((await call(model, undefined, fields, endpoint)).text).toContain('simulator');
    expect(provider.calls).toBe(before + 1);
    // An answer shows that the credential works, so that the cases below use it first again.
    expect((await call(await modelTo({ provider: 'openai' }), undefined)).status).toBe(200);
  });
});

test.each<[string, Misbehavior]>([
  ['sends only response headers', ({ socket }) => socket.write(streamHead())],
  [
    'sends only comments',
    ({ socket }) => {
      socket.write(streamHead());
      const timer = setInterval(() => socket.write(': processing\n\n'), 10);
      socket.on('close', () => clearInterval(timer));
    },
  ],
])('a stream whose first target %s is answered by the next', async (_what, does) => {
  const model = await modelTo({ provider: 'openai', first_byte_timeout_ms: SHORT_MS }, { provider: 'sim' });
  const answer = await call(model, does, { stream: true });
  expect([answer.status, answer.text.endsWith(DONE)]).toEqual([200, true]);
  await expectPaidTo('sim', answer);
});

test.each<[string, Misbehavior]>([
  ['ends', ({ socket }) => socket.end(OPENING)],
  ['is reset', ({ socket }) => socket.write(OPENING, () => socket.resetAndDestroy())],
  ['stalls beyond its idle timeout', ({ socket }) => socket.write(OPENING)],
  ['sends invalid JSON', ({ socket }) => socket.end(`${OPENING}data: {broken\n\n${DONE}`)],
  ['sends an error', ({ socket }) => socket.end(`${OPENING}${sse(providerError('down', 'server_error'))}`)],
])(
  'a stream whose first target %s before its first content is answered and charged by the next',
  async (_what, does) => {
    const model = await modelTo({ provider: 'openai', idle_timeout_ms: SHORT_MS }, { provider: 'sim' });
    const answer = await call(model, does, { stream: true });
    expect([answer.status, answer.text.endsWith(DONE)]).toEqual([200, true]);
    await expectPaidTo('sim', answer);
  },
);

test('a stream without content for some time begins, and a later failure is an error event', async () => {
  const model = await modelTo({ provider: 'openai' }, { provider: 'sim' });
  let socket: ProviderCall['socket'] | undefined;
  const content = provider.prompt((one) => {
    socket = one.socket;
    one.socket.write(OPENING);
  });
  const body = { model, stream: true, max_tokens: 100, messages: [{ role: 'user', content }] };
  const url = `${system.stack.apiUrl}/v1/chat/completions`;
  const stream = await openStream(url, JSON.stringify(body), customer.apiKey);
  expect(stream.status).toBe(200);
  let text = '';
  for await (const piece of stream.body) {
    text += piece;
    if (text.includes('"role"')) socket?.end(sse(providerError('down', 'rate_limit_exceeded')));
  }
  expect(text).toMatch(
    /^(: keep-alive\n\n)*data: \{.*"role".*\}\n\n(: keep-alive\n\n)*data: \{"error":.*"upstream_failed".*\n\n$/,
  );
});

describe.each(['plain', 'streamed'] as const)('a %s call for a more expensive service tier', (kind) => {
  const fields = { stream: kind === 'streamed', service_tier: 'priority' };

  test('costs the price of the tier', async () => {
    const answer = await call(await modelTo({ provider: 'sim' }), undefined, fields);
    await expectPaidTo('sim', answer, 2n * PAID_NANO);
  });

  test('costs the standard price if the provider applied the standard tier', async () => {
    const answer = await call(
      await modelTo({ provider: 'openai' }),
      ({ socket }) => socket.end(fields.stream ? `${streamHead()}${STREAM}` : httpReply(200, COMPLETION)),
      fields,
    );
    await expectPaidTo('openai', answer, 20n * MADE_INPUT_NANO + 8n * MADE_OUTPUT_NANO);
  });

  test('costs the standard price of a provider without tiers', async () => {
    await expectPaidTo('mistral', await call(await modelTo({ provider: 'mistral' }), undefined, fields));
  });
});

test('a stream for a more expensive tier that fails is charged at the tier that it reported', async () => {
  const partialStream = `${OPENING}${WORD_CHUNKS.map(sse).join('')}`;
  const fields = { stream: true, service_tier: 'priority' };
  const answer = await call(
    await modelTo({ provider: 'openai' }),
    ({ socket }) => socket.end(partialStream),
    fields,
  );
  await system.settled(customer);
  const { input_tokens, output_tokens } = (await readUsageRecord(system, requestIdOf(answer)))!;
  expect(output_tokens).toBe(`${WORD_CHUNKS.length}`);
  const paidNano = BigInt(input_tokens) * MADE_INPUT_NANO + BigInt(output_tokens) * MADE_OUTPUT_NANO;
  await expectPaidTo('openai', answer, paidNano);
});

test('after two failing targets the third answers', async () => {
  const model = await modelTo({ provider: 'deepseek' }, { provider: 'openai' }, { provider: 'sim' });
  const answer = await call(model, answers(503, providerError('overloaded')));
  expect([answer.status, textOf(answer)]).toEqual([200, 'from the simulator']);
  await expectPaidTo('sim', answer);
});

test('an invalid request is not retried on another target', async () => {
  const model = await modelTo({ provider: 'openai' }, { provider: 'sim' });
  const answer = await call(model, answers(400, providerError('too long')));
  expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request']);
  expect((await system.meter({ requestId: requestIdOf(answer) })).entries).toEqual([]);
  await system.settled(customer);
  expect((await readLedger(system, customer)).charges.size).toBe(0);
});

test('if all targets fail, the client gets the 429 with its Retry-After', async () => {
  const model = await modelTo({ provider: 'openai' }, { provider: 'deepseek' });
  const answer = await call(model, answers(429, providerError('slow'), { 'retry-after': '9' }));
  expect([answer.status, answer.json.error.code, answer.headers['retry-after']]).toEqual([
    429,
    'rate_limited',
    '9',
  ]);
});

test('a failure after the first content ends the stream with an error event, without another target', async () => {
  const model = await modelTo({ provider: 'openai' }, { provider: 'sim' });
  const partialStream = `${OPENING}${sse(WORD_CHUNKS[0])}`;
  const answer = await call(model, ({ socket }) => socket.end(partialStream), { stream: true });
  expect(answer.status).toBe(200);
  expect(answer.text).toMatch(/data: \{"error":\{"type":"upstream_error","code":"upstream_failed".*\}\n\n$/);
  expect(answer.text).not.toContain('[DONE]');
  expect((await system.meter({ requestId: requestIdOf(answer) })).entries).toEqual([]);
  await system.settled(customer);
  expect(await readUsageRecord(system, requestIdOf(answer))).toMatchObject({
    provider: 'openai',
    error_code: 'upstream_failed',
  });
});

test("a stream that stalls beyond its target's idle timeout is cut off", async () => {
  const model = await modelTo({ provider: 'openai', idle_timeout_ms: SHORT_MS });
  const left = Promise.withResolvers<void>();
  const answer = await call(
    model,
    ({ socket }) => {
      socket.on('close', () => left.resolve());
      socket.write(`${OPENING}${sse(WORD_CHUNKS[0])}`);
    },
    { stream: true },
  );
  expect(answer.status).toBe(200);
  expect(answer.text).toMatch(/"code":"upstream_failed"/);
  await left.promise;
});

test('the client of a silent stream gets keep-alive comments, before the first event and between events', async () => {
  const KEEP_ALIVE = ': keep-alive\n\n';
  const model = await modelTo({ provider: 'openai' });
  let socket: ProviderCall['socket'] | undefined;
  const content = provider.prompt((one) => {
    socket = one.socket;
  });
  const body = { model, stream: true, max_tokens: 100, messages: [{ role: 'user', content }] };
  const url = `${system.stack.apiUrl}/v1/chat/completions`;
  const stream = await openStream(url, JSON.stringify(body), customer.apiKey);
  let text = '';
  let said = 0;
  for await (const piece of stream.body) {
    text += piece;
    if (!text.endsWith(KEEP_ALIVE)) continue;
    const partialStream = text.includes('"role"');
    if (said === 0) socket?.write(OPENING);
    if (said === 1 && partialStream) socket?.end(`${sse(WORD_CHUNKS[0])}${DONE}`);
    said = partialStream ? 2 : 1;
  }
  expect(text).toMatch(
    /^(: keep-alive\n\n)+data: \{.*"role".*\}\n\n(: keep-alive\n\n)+data: .*one.*\n\ndata: \[DONE\]\n\n$/,
  );
});

describe('failover across formats', () => {
  test.each([
    ['anthropic', 'claude-sonnet-4-6'],
    ['google', 'gemini-3-pro'],
  ])(
    "%s answers, translated, when the target of the client's own format fails",
    async (id, upstream_model) => {
      const model = await modelTo({ provider: 'openai' }, { provider: id, upstream_model });
      const answer = await call(model, answers(500, providerError('broken')));
      expect([answer.status, textOf(answer)]).toEqual([200, 'from the simulator']);
      await expectPaidTo(id, answer);
    },
  );

  test('streams are translated too', async () => {
    const model = await modelTo({ provider: 'openai' }, { provider: 'anthropic' });
    const answer = await call(model, answers(500, providerError('broken')), { stream: true });
    const words = answer.text
      .split('\n\n')
      .filter((event) => event.startsWith('data: {'))
      .map((event) => JSON.parse(event.slice(6)).choices[0]?.delta.content ?? '');
    expect([answer.status, words.join(''), answer.text.endsWith(DONE)]).toEqual([
      200,
      'from the simulator',
      true,
    ]);
    await expectPaidTo('anthropic', answer);
  });
});

test('targets of one priority share calls by weight', async () => {
  const targets = [
    { provider: 'openai', weight: 3, priority: 0 },
    { provider: 'sim', weight: 1, priority: 0 },
  ];
  const model = await modelTo(...targets);
  const CALLS = 400;
  const before = provider.calls;
  for (let round = 0; round < CALLS / 20; round++) {
    await Promise.all(Array.from({ length: 20 }, () => call(model, undefined)));
  }
  // 300 are expected; a difference of 60 is seven standard deviations.
  expect(Math.abs(provider.calls - before - (CALLS * 3) / 4)).toBeLessThan(60);
});

describe('a circuit', () => {
  const circuitOf = async (upstreamModel: string): Promise<string | undefined> => {
    const samples = await readSamples(system.stack.adminUrl('chat'), 'chat_target_circuit');
    return samples.find(
      ({ labels }) => labels.upstream_model === upstreamModel && labels.provider === 'openai',
    )?.labels.state;
  };

  test('opens when its target fails, skips the target, and closes after a successful probe', async () => {
    const model = await modelTo({ provider: 'openai' }, { provider: 'sim' });
    const name = model.slice('sim/'.length);
    const isBroken = answers(500, providerError('broken'));
    for (let failed = 0; failed < 5; failed++) expect((await call(model, isBroken)).status).toBe(200);
    expect(await circuitOf(name)).toBe('suspect');

    const before = provider.calls;
    const spared = await Promise.all(Array.from({ length: 10 }, () => call(model, undefined)));
    for (const answer of spared) expect(textOf(answer)).toBe('from the simulator');
    expect(provider.calls).toBe(before);

    // After a failed probe the circuit stays open for longer.
    await until(async () => (await circuitOf(name)) === 'half-open');
    expect((await call(model, isBroken)).status).toBe(200);
    expect([provider.calls, await circuitOf(name)]).toEqual([before + 1, 'suspect']);

    await until(async () => (await circuitOf(name)) === 'half-open');
    expect(textOf(await call(model, undefined))).toBe(COMPLETION.choices[0]!.message.content);
    expect(await circuitOf(name)).toBe('closed');
    expect(textOf(await call(model, undefined))).toBe(COMPLETION.choices[0]!.message.content);
  }, 30_000);

  test('of an unreachable only target refuses calls at once until a probe', async () => {
    const model = await modelTo({ provider: 'deepseek' });
    for (let failed = 0; failed < 6; failed++) {
      const answer = await call(model, undefined);
      expect([answer.status, answer.json.error.code]).toEqual([502, 'upstream_unavailable']);
    }
    const name = model.slice('sim/'.length);
    const counted = await readSamples(system.stack.adminUrl('chat'), 'chat_target_calls_total');
    const calls = counted.filter(({ labels }) => labels.upstream_model === name);
    expect(calls).toMatchObject([{ labels: { provider: 'deepseek', outcome: 'unreachable' }, value: 5 }]);
  });
});

test('a target with a Retry-After is skipped while another target can answer', async () => {
  const model = await modelTo({ provider: 'openai' }, { provider: 'sim' });
  await call(model, answers(429, providerError('slow'), { 'retry-after': '60' }));
  const before = provider.calls;
  expect(textOf(await call(model, undefined))).toBe('from the simulator');
  expect(provider.calls).toBe(before);
});

test('operators see circuits, calls, errors and credentials of all providers', async () => {
  const { data, services } = await system.dashboard.call(
    'GET',
    'admin/providers',
    await system.operatorToken(),
  );
  expect(services).toMatchObject([
    { service: 'chat', status: 'up' },
    { service: 'media', status: 'up' },
  ]);
  const servedBy = Object.fromEntries(
    data.map((one: { id: string; served_by: string }) => [one.id, one.served_by]),
  );
  expect(servedBy).toMatchObject({
    anthropic: 'simulator',
    sim: 'simulator',
    openai: 'credentials',
    deepseek: 'credentials',
  });
  const deepseek = data.find(({ id }: { id: string }) => id === 'deepseek');
  const failed = deepseek.targets.filter(({ errors }: { errors: number }) => errors > 0);
  expect(failed.length).toBeGreaterThan(0);
  for (const { last_failure } of failed) expect(last_failure.code).toBe('upstream_unavailable');
  const sim = data.find(({ id }: { id: string }) => id === 'sim');
  const answered = sim.targets.find(({ latency }: { latency: unknown }) => latency !== null);
  expect(answered).toMatchObject({ circuit: 'closed', service: 'chat', errors: 0 });
});

test("metrics count each target's calls by outcome, and time to the first byte", async () => {
  const model = await modelTo({ provider: 'openai' }, { provider: 'sim' });
  const name = model.slice('sim/'.length);
  await call(model, answers(500, providerError('broken')));
  await call(model, ({ socket }) => socket.resetAndDestroy());
  await call(model, undefined);
  // Puts the target behind the simulator, so it comes last.
  await call(model, answers(403, providerError('no')));
  const ofModel = async (metric: string) =>
    (await readSamples(system.stack.adminUrl('chat'), metric))
      .filter(({ labels }) => labels.upstream_model === name)
      .map(({ labels, value }) => [labels.provider, labels.outcome, value]);
  expect((await ofModel('chat_target_calls_total')).sort()).toEqual([
    ['openai', '403', 1],
    ['openai', '500', 1],
    ['openai', 'answered', 1],
    ['openai', 'broken', 1],
    ['sim', 'answered', 3],
  ]);
  expect(await ofModel('chat_target_first_byte_seconds_count')).toEqual([
    ['sim', undefined, 3],
    ['openai', undefined, 1],
  ]);
});

test('after all failovers the books balance', async () => {
  await until(async () => (await system.drift()) === 0);
  expect(await system.metric('billing', 'holds_orphaned')).toBe(0);
});
