import { until } from '@gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type CompatibleServer,
  SERVED_USAGE,
  SERVED_WORDS,
  startCompatibleServer,
} from './support/compatible-server';
import { placesOfSecrets } from './support/find-secrets';
import { type HttpAnswer, openStream, postJson } from './support/http';
import { readLedger } from './support/ledger';
import { readSamples } from './support/metrics';
import { type Customer, type System, startSystem } from './support/system';

const KEY = 'sk-first-0123456789abcdef';
/** In the environment of chat, where configurations refer to it. */
const CONFIGURED_KEY = 'sk-configured-0123456789';
const PRICES = { input: 3, output: 5 };
/** USD per million tokens are micro-USD per token. */
const PAID_NANO =
  BigInt(SERVED_USAGE.prompt_tokens) * 3_000n + BigInt(SERVED_USAGE.completion_tokens) * 5_000n;
/** What a provider charges. */
const COST = { input: 2, output: 4 };
const COST_NANO = SERVED_USAGE.prompt_tokens * 2_000 + SERVED_USAGE.completion_tokens * 4_000;
const STREAMS = 32;

let server: CompatibleServer;
let system: System;
let customer: Customer;
let token: string;

beforeAll(async () => {
  server = await startCompatibleServer();
  system = await startSystem({
    autoRestart: false,
    settings: { chat: { CREDENTIAL_CONFIGURED: CONFIGURED_KEY } },
  });
  customer = await system.provision();
  token = await system.operatorToken();
}, 60_000);
afterAll(async () => {
  await system?.stop();
  await server?.stop();
}, 30_000);

const admin = (method: 'GET' | 'POST', call: string, body?: unknown) =>
  system.dashboard.call(method, `admin/providers${call}`, token, body);

const chat = (model: string, fields: object = {}): Promise<HttpAnswer> =>
  postJson(
    `${system.stack.apiUrl}/v1/chat/completions`,
    { model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 50, ...fields },
    customer.apiKey,
  );

/** Connects the server as a provider and imports a model of it. Returns the model's slug when it can be called. */
async function connect(id: string, credentials: readonly object[], fields: object = {}): Promise<string> {
  await admin('POST', '', { id, kind: 'openai', base_url: server.baseUrl, credentials });
  const imported = {
    upstream_model: 'org/Large',
    context_length: 8_000,
    max_output_tokens: 1_000,
    pricing: { tokens: PRICES },
    ...fields,
  };
  const { data } = await admin('POST', `/${id}/models/import`, { models: [imported] });
  expect(data).toEqual([{ upstream_model: 'org/Large', slug: `${id}/org-large`, outcome: 'created' }]);
  await isCallable(`${id}/org-large`);
  return `${id}/org-large`;
}

/** Counting tokens is free. */
const isCallable = (model: string) =>
  until(async () => {
    const body = { model, messages: [{ role: 'user', content: 'x' }] };
    const { status } = await postJson(
      `${system.stack.apiUrl}/v1/messages/count_tokens`,
      body,
      customer.apiKey,
    );
    return status === 200;
  });

test('five calls of the operator API connect a server; its model answers in both formats, streamed, billed exactly', async () => {
  server.keys.set(KEY, 'answer');
  const credentials = [{ name: 'main', secret: KEY }];
  const created = await admin('POST', '', {
    id: 'local',
    kind: 'openai',
    base_url: server.baseUrl,
    credentials,
  });
  expect(created).toMatchObject({
    id: 'local',
    enabled: true,
    credentials: [{ name: 'main', hint: '…cdef' }],
  });
  expect(await admin('POST', '/local/test', {})).toMatchObject({ ok: true, models: 2, failure: null });
  const { data: listed } = await admin('GET', '/local/models');
  expect(listed.map(({ suggested_slug }: { suggested_slug: string }) => suggested_slug)).toEqual([
    'local/org-small-1b',
    'local/org-large',
  ]);
  const imported = {
    upstream_model: 'org/Small:1b',
    context_length: 8_000,
    cost: COST,
    pricing: { tokens: PRICES },
  };
  const { data } = await admin('POST', '/local/models/import', { models: [imported] });
  expect(data).toMatchObject([{ slug: 'local/org-small-1b', outcome: 'created' }]);
  const called = await admin('POST', '/local/test', { model: 'org/Small:1b' });
  expect(called).toMatchObject({ ok: true, credential: { name: 'main' } });

  const model = 'local/org-small-1b';
  await isCallable(model);
  const text = SERVED_WORDS.join('');
  const whole = await chat(model);
  expect([whole.status, whole.json.choices[0].message.content]).toEqual([200, text]);
  const streamed = await chat(model, { stream: true });
  expect(streamed.text).toMatch(/"content":" works".*\[DONE\]\n\n$/s);
  const message = { model, max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] };
  const url = `${system.stack.apiUrl}/v1/messages`;
  const translated = await postJson(url, message, customer.apiKey);
  expect(translated.json).toMatchObject({ type: 'message', content: [{ type: 'text', text }] });
  const events = await postJson(url, { ...message, stream: true }, customer.apiKey);
  expect(events.text).toContain('event: message_stop');

  await system.settled(customer);
  const paid = [whole, streamed, translated, events].map(
    ({ headers }) => [String(headers['x-request-id']), PAID_NANO] as const,
  );
  expect((await readLedger(system, customer)).charges).toEqual(new Map(paid));
  for (const [id] of paid) {
    const record = await system.dashboard.call('GET', `admin/requests/${id}`, token);
    expect(record).toMatchObject({ cost: 53e-6, provider_cost: 38e-6 });
  }
});

test('a configuration connects a server and its model in one call; with a mistake it changes nothing', async () => {
  server.keys.set(CONFIGURED_KEY, 'answer');
  const target = { provider: 'configured', upstream_model: 'org/Large' };
  const config = {
    providers: [
      {
        id: 'configured',
        kind: 'openai',
        base_url: server.baseUrl,
        credentials: [{ name: 'main', secret_ref: 'env:CREDENTIAL_CONFIGURED' }],
      },
    ],
    models: [
      {
        slug: 'configured/large',
        name: 'Large',
        input_modalities: ['text'],
        output_modalities: ['text'],
        context_length: 8_000,
        max_output_tokens: 1_000,
        targets: [target],
        pricing: { source: 'a contract', source_date: '2026-01-01', tokens: PRICES },
      },
    ],
  };
  const apply = (content: object) => system.dashboard.call('POST', 'admin/config/apply', token, content);
  const mistaken = { ...config, settings: { requests_per_second: -1 } };
  await expect(apply(mistaken)).rejects.toThrow('settings.requests_per_second');
  expect(await system.dashboard.tryCall('GET', 'admin/providers/configured', token)).toMatchObject({
    status: 404,
  });
  expect(await apply(config)).toMatchObject({ applied: true, problems: [] });
  await isCallable('configured/large');
  expect((await chat('configured/large')).status).toBe(200);
  expect(server.calls.get(CONFIGURED_KEY)).toBe(1);
  expect((await apply(config)).changes).toEqual([]);
});

test('a test of a wrong credential names the failure of the endpoint, without the credential', async () => {
  const secret = 'sk-wrong-0123456789abcdef';
  const { id } = await admin('POST', '/local/credentials', { name: 'wrong', secret, weight: 0 });
  const failed = await admin('POST', '/local/test', { credential_id: id });
  expect(failed).toMatchObject({
    ok: false,
    credential: { id, name: 'wrong' },
    failure: { status: 401, message: 'Incorrect API key provided' },
  });
  expect(JSON.stringify(failed)).not.toContain(secret);
  await admin('POST', `/local/credentials/${id}/delete`, {});
});

test('a provider that is disabled or deleted is not called, and its models are unavailable', async () => {
  const model = await connect('brief', [{ name: 'main', secret: KEY }]);
  expect((await chat(model)).status).toBe(200);
  await admin('POST', '/brief/update', { enabled: false });
  await until(async () => (await chat(model)).status === 502);
  await admin('POST', '/brief/update', { enabled: true });
  await until(async () => (await chat(model)).status === 200);
  await admin('POST', '/brief/delete', {});
  await until(async () => (await chat(model)).status === 502);
  expect((await chat(model)).json.error.code).toBe('upstream_unavailable');
});

test('credentials are added, rotated, disabled and deleted under 32 streams, and no call fails', async () => {
  const [first, second, third] = ['a', 'b', 'c'].map((name) => `sk-${name}-0123456789abcdef`) as [
    string,
    string,
    string,
  ];
  for (const key of [first, second, third]) server.keys.set(key, 'answer');
  const model = await connect('busy', [{ name: 'one', secret: first }]);
  let running = true;
  const failures: unknown[] = [];
  let answered = 0;
  const lane = async () => {
    while (running) {
      const body = { model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 50, stream: true };
      const url = `${system.stack.apiUrl}/v1/chat/completions`;
      const stream = await openStream(url, JSON.stringify(body), customer.apiKey);
      let text = '';
      for await (const piece of stream.body) text += piece;
      if (stream.status === 200 && text.endsWith('data: [DONE]\n\n')) answered++;
      else failures.push([stream.status, text]);
    }
  };
  const lanes = Promise.all(Array.from({ length: STREAMS }, lane));
  const isUsed = (key: string) => {
    const before = server.calls.get(key) ?? 0;
    return until(async () => (server.calls.get(key) ?? 0) > before + STREAMS);
  };
  const isUnused = (key: string) =>
    until(async () => {
      const before = server.calls.get(key);
      await isUsed(third);
      return server.calls.get(key) === before;
    });
  await isUsed(first);
  const { id } = await admin('POST', '/busy/credentials', { name: 'two', secret: second });
  await isUsed(second);
  await admin('POST', `/busy/credentials/${id}/update`, { secret: third });
  await isUsed(third);
  await isUnused(second);
  const { credentials } = await admin('GET', '/busy');
  const one = credentials.find(({ name }: { name: string }) => name === 'one').id;
  await admin('POST', `/busy/credentials/${one}/update`, { enabled: false });
  await isUnused(first);
  await admin('POST', `/busy/credentials/${one}/update`, { enabled: true });
  await isUsed(first);
  await admin('POST', `/busy/credentials/${one}/delete`, {});
  await isUnused(first);
  running = false;
  await lanes;
  expect(failures).toEqual([]);
  expect(answered).toBeGreaterThan(8 * STREAMS);
}, 60_000);

test('calls of one conversation stay with one credential, and move to another one when it fails', async () => {
  const keys = ['x', 'y', 'z'].map((name) => `sk-${name}-0123456789abcdef`);
  for (const key of keys) server.keys.set(key, 'answer');
  const model = await connect(
    'cached',
    keys.map((secret, at) => ({ name: `key ${at}`, secret })),
  );
  const long = 'The handbook says so. '.repeat(300);
  const ask = (question: string) =>
    chat(model, {
      messages: [
        { role: 'system', content: long },
        { role: 'user', content: question },
      ],
    });
  const usedBy = async (question: string, times: number) => {
    const before = keys.map((key) => server.calls.get(key) ?? 0);
    for (let call = 0; call < times; call++) expect((await ask(question)).status).toBe(200);
    return keys.filter((key, at) => (server.calls.get(key) ?? 0) > before[at]!);
  };
  const [first, ...others] = await usedBy('What is first?', 8);
  expect(others).toEqual([]);
  const used = new Set<string | undefined>();
  for (let conversation = 0; conversation < 20; conversation++) {
    const [key, ...more] = await usedBy(`Question ${conversation}?`, 2);
    expect(more).toEqual([]);
    used.add(key);
  }
  expect(used.size).toBe(3);
  server.keys.set(first!, 'limit');
  const [, ...next] = await usedBy('What is first?', 1);
  expect(next).toHaveLength(1);
  expect(await usedBy('What is first?', 8)).toHaveLength(1);
}, 30_000);

test('of three credentials, one out of its rate limit and one rejected, the third answers all calls', async () => {
  const keys = ['limited', 'rejected', 'good'].map((name) => `sk-${name}-0123456789abcdef`);
  server.keys.set(keys[0]!, 'limit').set(keys[1]!, 'reject').set(keys[2]!, 'answer slowly');
  const names = ['limited', 'rejected', 'slow'];
  const model = await connect(
    'mixed',
    names.map((name, at) => ({ name, secret: keys[at]! })),
  );
  for (let call = 0; call < 20; call++) expect((await chat(model)).status).toBe(200);
  const { credentials } = await admin('GET', '/mixed');
  expect(credentials).toMatchObject([
    { name: 'limited', circuit: 'cooling', errors: 1, last_failure: { status: 429 } },
    { name: 'rejected', circuit: 'suspect', errors: 1, last_failure: { status: 401 } },
    { name: 'slow', circuit: 'closed', calls: 20, errors: 0, last_failure: null },
  ]);
  expect(keys.map((key) => server.calls.get(key))).toEqual([1, 1, 20]);
  const samples = await readSamples(system.stack.adminUrl('chat'), 'chat_credential_calls_total');
  const ofProvider = samples.filter(({ labels }) => labels.provider === 'mixed');
  expect(
    ofProvider.map(({ labels, value }) => `${labels.credential} ${labels.outcome} ${value}`).sort(),
  ).toEqual(['limited 429 1', 'rejected 401 1', 'slow answered 20']);
}, 30_000);

test('a credential at its daily cost limit is not used, and operators see what it has cost', async () => {
  const keys = ['capped', 'spare'].map((name) => `sk-${name}-0123456789abcdef`);
  for (const key of keys) server.keys.set(key, 'answer');
  const model = await connect(
    'daily',
    [
      // The second call reaches it.
      { name: 'capped', secret: keys[0], daily_cost_limit: (2 * COST_NANO - 1) / 1e9 },
      // Used only if the other one can't be.
      { name: 'spare', secret: keys[1], weight: 0 },
    ],
    { cost: COST },
  );
  for (let call = 0; call < 5; call++) {
    expect((await chat(model, { stream: call % 2 === 1 })).status).toBe(200);
  }
  expect(keys.map((key) => server.calls.get(key))).toEqual([2, 3]);

  const credentials = async () => (await admin('GET', '/daily')).credentials;
  await until(async () => {
    const [capped, spare] = await credentials();
    return capped.limited_until !== null && spare.cost_today === (3 * COST_NANO) / 1e9;
  });
  const [capped, spare] = await credentials();
  expect(capped).toMatchObject({
    cost_today: (2 * COST_NANO) / 1e9,
    daily_cost_limit: (2 * COST_NANO - 1) / 1e9,
    limited_until: expect.stringMatching(/T00:00:00\.000Z$/),
    circuit: 'closed',
  });
  expect(spare).toMatchObject({ daily_cost_limit: null, limited_until: null });
  const used = await readSamples(system.stack.adminUrl('chat'), 'chat_credential_daily_cost_ratio');
  const ofCapped = used.find(({ labels }) => labels.provider === 'daily' && labels.credential === 'capped');
  expect(ofCapped!.value).toBeGreaterThan(1);

  await admin('POST', `/daily/credentials/${spare.id}/update`, { enabled: false });
  await until(async () => (await chat(model)).status === 502);
  expect((await chat(model)).json.error.code).toBe('upstream_unavailable');
  await admin('POST', `/daily/credentials/${capped.id}/update`, { daily_cost_limit: null });
  await until(async () => (await chat(model)).status === 200);
}, 30_000);

test('no secret of a credential is in a table, a file or a log in clear', async () => {
  const secrets = [...server.keys.keys()];
  expect(await placesOfSecrets(system, secrets)).toEqual([]);
  const audit = await system.dashboard.call('GET', 'admin/audit?limit=1000', token);
  for (const secret of secrets) expect(JSON.stringify(audit)).not.toContain(secret);
});
