import { optionProblems, PROVIDER_KINDS } from '@gateway/providers';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  changesOf,
  type Dashboard,
  SECRET,
  startDashboard,
  startWorld,
  type World,
} from './testing/dashboard-fixture';
import { CREDENTIAL_ID } from './testing/fake-catalog';
import { startFakeProviderServices } from './testing/fake-provider-services';

jest.setTimeout(30_000);

let world: World;
let dashboard: Dashboard;
beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world);
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

const listed = async (from = dashboard) => {
  const token = await from.loginOperator();
  const { status, body } = await from.get('admin/providers', token);
  expect(status).toBe(200);
  return body;
};
// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there.
const targetOf = (body: any, service: string) =>
  body.data[0].targets.find((target: { service: string }) => target.service === service);

test('lists each provider of the catalog with its targets and its credentials', async () => {
  world.providers.listing.providers = [{ id: 'sim', simulated: true }];
  world.providers.listing.targets = [
    {
      provider: 'sim',
      upstreamModel: 'x',
      state: 'CIRCUIT_STATE_OPEN',
      calls: 10,
      errors: 4,
      timed: 6,
      latencySumMs: 600,
      latencyMaxMs: 250,
      lastFailure: { code: 'upstream_failed', status: 503, agoMs: 60_000 },
    },
  ];
  const body = await listed();
  expect(body).toMatchObject({
    next_cursor: null,
    services: [
      { service: 'chat', status: 'up' },
      { service: 'media', status: 'up' },
    ],
    window_seconds: 300,
  });
  expect(body.data).toMatchObject([
    { id: 'sim', source: 'environment', served_by: 'simulator', kind: null },
    { id: 'vllm', source: 'catalog', served_by: 'nobody', kind: 'openai', targets: [] },
  ]);
  expect(targetOf(body, 'chat')).toEqual({
    upstream_model: 'x',
    service: 'chat',
    models: ['sim/both', 'sim/chat', 'sim/disabled', 'sim/preview'],
    circuit: 'open',
    circuits: { open: 1 },
    calls: 10,
    errors: 4,
    latency: { mean_ms: 100, max_ms: 250 },
    last_failure: { code: 'upstream_failed', status: 503, at: expect.any(String) },
  });
  const agoMs = Date.now() - Date.parse(targetOf(body, 'chat').last_failure.at);
  expect(agoMs).toBeGreaterThanOrEqual(60_000);
  expect(agoMs).toBeLessThan(90_000);
  expect(targetOf(body, 'media').models).toEqual(['sim/both', 'sim/image', 'sim/video']);
});

test('a target without calls has a closed circuit, and a provider without credentials is served by nobody', async () => {
  world.providers.listing.targets = [];
  const quiet = { circuit: 'closed', calls: 0, errors: 0, latency: null, last_failure: null };
  expect(targetOf(await listed(), 'chat')).toMatchObject(quiet);
  world.providers.listing.providers = [];
  const body = await listed();
  expect(body.data[0].served_by).toBe('nobody');
  expect(targetOf(body, 'chat').circuit).toBeNull();
});

test('merges the reports of all instances, and marks an unreachable instance as away', async () => {
  world.providers.listing.providers = [{ id: 'sim', simulated: false }];
  world.providers.listing.targets = [
    { provider: 'sim', upstreamModel: 'x', state: 'CIRCUIT_STATE_COOLING', calls: 2, errors: 1 },
  ];
  const other = await startFakeProviderServices(world.log, SECRET);
  Object.assign(other.listing, world.providers.listing);
  const several = await startDashboard(world, {
    CHAT_ADDR: `${world.providers.address},${other.address}`,
    MEDIA_ADDR: '127.0.0.1:1',
  });
  const body = await listed(several);
  expect(body.services.map(({ service, status }: Record<string, string>) => [service, status])).toEqual([
    ['chat', 'up'],
    ['chat', 'up'],
    ['media', 'away'],
  ]);
  expect(body.data[0].served_by).toBe('credentials');
  expect(targetOf(body, 'chat')).toMatchObject({ circuits: { cooling: 2 }, calls: 4, errors: 2 });
  expect(targetOf(body, 'media')).toMatchObject({ circuit: null, circuits: {}, calls: 0 });
  await several.stop();
  await other.stop();
});

test('shows the health of each credential, and merges those of a target', async () => {
  world.providers.listing.providers = [{ id: 'vllm', simulated: false }];
  const failed = (status: number) => ({ code: 'upstream_failed', status, agoMs: 1_000 });
  const of = { provider: 'vllm', upstreamModel: 'm' };
  world.providers.listing.targets = [
    {
      ...of,
      credentialId: CREDENTIAL_ID,
      state: 'CIRCUIT_STATE_COOLING',
      coolingMs: 20_000,
      calls: 4,
      errors: 1,
      timed: 3,
      latencySumMs: 300,
      latencyMaxMs: 200,
      lastFailure: failed(429),
    },
    { ...of, credentialId: 'other', state: 'CIRCUIT_STATE_SUSPECT', calls: 1, errors: 1 },
  ];
  world.providers.listing.credentials = [
    {
      provider: 'vllm',
      id: CREDENTIAL_ID,
      name: 'main',
      state: 'CIRCUIT_STATE_CLOSED',
      calls: 4,
      errors: 1,
      timed: 3,
      latencySumMs: 300,
      latencyMaxMs: 200,
      lastFailure: failed(429),
      rateLimits: {
        upstreamModel: 'm',
        agoMs: 5_000,
        limits: [
          { name: 'requests', remaining: 3, limit: 60, resetMs: 55_000 },
          { name: 'tokens', remaining: 9 },
        ],
      },
    },
    {
      provider: 'vllm',
      id: 'other',
      name: 'deleted since',
      state: 'CIRCUIT_STATE_OPEN',
      calls: 1,
      errors: 1,
    },
  ];
  const token = await dashboard.loginOperator();
  const { body } = await dashboard.get('admin/providers/vllm', token);
  expect(body.credentials).toEqual([
    {
      id: CREDENTIAL_ID,
      name: 'main',
      hint: '…abcd',
      weight: 3,
      enabled: true,
      rpm_limit: 60,
      tpm_limit: null,
      concurrency_limit: null,
      daily_cost_limit: 2.5,
      created_at: '2026-01-01T00:00:00.000Z',
      cost_today: 0,
      limited_until: null,
      circuit: 'cooling',
      circuits: { cooling: 2 },
      calls: 8,
      errors: 2,
      latency: { mean_ms: 100, max_ms: 200 },
      last_failure: { code: 'upstream_failed', status: 429, at: expect.any(String) },
      cooling_until: expect.any(String),
      rate_limits: {
        upstream_model: 'm',
        at: expect.any(String),
        limits: [
          { name: 'requests', remaining: 3, limit: 60, resets_at: expect.any(String) },
          { name: 'tokens', remaining: 9, limit: null, resets_at: null },
        ],
      },
    },
  ]);
  const [{ cooling_until, rate_limits }] = body.credentials;
  const aheadMs = (time: string) => Date.parse(time) - Date.now();
  expect(aheadMs(cooling_until)).toBeLessThanOrEqual(20_000);
  expect(aheadMs(cooling_until)).toBeGreaterThan(0);
  expect(Date.parse(rate_limits.limits[0].resets_at) - Date.parse(rate_limits.at)).toBe(60_000);
  const target = body.targets.find(({ service }: { service: string }) => service === 'chat');
  expect(target).toMatchObject({
    upstream_model: 'm',
    models: [],
    circuit: 'suspect',
    circuits: { cooling: 1, suspect: 1 },
    calls: 5,
    errors: 2,
    last_failure: { status: 429 },
  });
  world.providers.listing.targets = [];
  world.providers.listing.credentials = [];
});

describe('an operator', () => {
  const SECRET = 'sk-0123456789abcdef';
  let token: string;
  beforeEach(async () => {
    token = await dashboard.loginOperator();
    world.catalog.edits.length = 0;
    world.providers.probe.requests.length = 0;
  });

  test('sees presets with what a form needs to connect each, and the kinds of providers', async () => {
    const { status, body } = await dashboard.get('admin/provider-presets', token);
    expect(status).toBe(200);
    const preset = (wanted: string) => body.data.find(({ id }: { id: string }) => id === wanted);
    expect(preset('groq')).toEqual({
      id: 'groq',
      name: 'Groq',
      kind: 'openai',
      base_url: 'https://api.groq.com/openai/v1',
      api_key: 'required',
      docs: 'https://console.groq.com/docs',
      options: { preset: 'groq' },
    });
    expect(preset('cloudflare').base_url).toContain('{account_id}');
    expect(preset('mistral')).toMatchObject({ kind: 'mistral', options: {} });
    for (const { kind, options } of body.data) expect(optionProblems(kind, options)).toEqual([]);
    expect(body.kinds).toContainEqual({
      kind: 'openai',
      base_url: 'https://api.openai.com/v1',
      options: ['quirks'],
    });
    expect(body.kinds).toContainEqual({
      kind: 'anthropic',
      base_url: 'https://api.anthropic.com',
      options: [],
    });
    expect(body.kinds.map(({ kind }: { kind: string }) => kind)).toEqual(PROVIDER_KINDS);
  });

  test('connects a provider with its credentials, and no secret is in the audit log', async () => {
    const { status, body } = await dashboard.post(
      'admin/providers',
      {
        id: 'groq',
        kind: 'openai',
        base_url: 'https://api.groq.com/openai/v1',
        options: {},
        credentials: [
          { name: 'main', secret: SECRET, weight: 2 },
          { name: 'cloud', secret: { client_email: 'a@b', private_key: `${SECRET}\n` } },
          { name: 'file', secret_ref: 'file:groq' },
        ],
      },
      token,
    );
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(SECRET);
    expect(body).toMatchObject({ id: 'groq', kind: 'openai', source: 'catalog', enabled: true });
    expect(world.catalog.edits).toMatchObject([
      {
        method: 'CreateProvider',
        request: {
          id: 'groq',
          kind: 'openai',
          baseUrl: 'https://api.groq.com/openai/v1',
          optionsJson: '{}',
          credentials: [
            { name: 'main', secret: { value: SECRET, reference: '' }, weight: 2 },
            { name: 'cloud', secret: { value: expect.stringMatching(/^\{"client_email":"a@b",/) } },
            { name: 'file', secret: { value: '', reference: 'file:groq' } },
          ],
        },
      },
    ]);
    const [entry] = changesOf((await dashboard.get('admin/audit', token)).body);
    expect(entry).toMatchObject({ action: 'admin/providers', subject: 'groq' });
    expect(JSON.stringify(entry)).toContain('"main"');
    expect(JSON.stringify(entry)).not.toContain(SECRET);
  });

  test('updates only what is given', async () => {
    await dashboard.post('admin/providers/vllm/update', { enabled: false }, token);
    const path = `admin/providers/vllm/credentials/${CREDENTIAL_ID}/update`;
    const { body } = await dashboard.post(
      path,
      { enabled: false, secret: SECRET, rpm_limit: null, tpm_limit: 9_000, daily_cost_limit: 12.000000001 },
      token,
    );
    expect(body).toEqual({
      id: CREDENTIAL_ID,
      name: 'main',
      hint: '…abcd',
      weight: 3,
      enabled: false,
      rpm_limit: 60,
      tpm_limit: null,
      concurrency_limit: null,
      daily_cost_limit: 2.5,
      created_at: '2026-01-01T00:00:00.000Z',
    });
    expect(world.catalog.edits).toMatchObject([
      {
        method: 'UpdateProvider',
        request: {
          id: 'vllm',
          name: 'A vLLM server',
          baseUrl: 'http://10.0.0.1:8000/v1',
          headers: { 'x-team': 'a' },
          enabled: false,
        },
      },
      {
        method: 'UpdateCredential',
        request: {
          enabled: false,
          secret: { value: SECRET },
          limits: { requestsPerMinute: 0, tokensPerMinute: 9_000, costPerDayNano: '12000000001' },
        },
      },
    ]);
    expect(changesOf((await dashboard.get('admin/audit', token)).body)[0]).toMatchObject({
      changes: { daily_cost_limit: 12.000000001 },
    });
    expect(world.catalog.edits[1]!.request).not.toHaveProperty('weight');
    expect(JSON.stringify((await dashboard.get('admin/audit', token)).body)).not.toContain(SECRET);
  });

  test('removes a daily cost limit with null, and sets none that is not an amount above zero', async () => {
    const path = `admin/providers/vllm/credentials/${CREDENTIAL_ID}/update`;
    await dashboard.post(path, { daily_cost_limit: null }, token);
    expect(world.catalog.edits).toMatchObject([{ request: { limits: { costPerDayNano: '0' } } }]);
    for (const limit of [0, -1, '5', 1e-10, 2e9]) {
      const { status, body } = await dashboard.post(path, { daily_cost_limit: limit }, token);
      expect([status, body.error.code]).toEqual([400, 'invalid_request']);
      expect(body.error.detail).toContain('daily_cost_limit');
    }
    expect(world.catalog.edits).toHaveLength(1);
  });

  test('sees what each credential has cost today, and until when one at its limit is not used', async () => {
    const { credentialCosts } = world.catalog;
    const costOf = async () => {
      const { body } = await dashboard.get('admin/providers/vllm', token);
      const [{ cost_today, limited_until }] = body.credentials;
      return { cost_today, limited_until };
    };
    credentialCosts.costs = [{ credentialId: CREDENTIAL_ID, costNano: '2499999999' }];
    expect(await costOf()).toEqual({ cost_today: 2.499999999, limited_until: null });
    credentialCosts.costs = [{ credentialId: CREDENTIAL_ID, costNano: '2500000000' }];
    expect(await costOf()).toEqual({ cost_today: 2.5, limited_until: '2026-02-01T00:00:00.000Z' });
    credentialCosts.isUnknown = true;
    expect(await costOf()).toEqual({ cost_today: null, limited_until: null });
    credentialCosts.isUnknown = false;
    credentialCosts.costs = [];
  });

  test('tests a provider: the failure of the endpoint is a result', async () => {
    const listed = await dashboard.post('admin/providers/vllm/test', undefined, token);
    expect(listed.body).toEqual({
      ok: true,
      credential: { id: 'c', name: 'main' },
      latency_ms: 12,
      models: 1,
      failure: null,
    });
    const { answer } = world.providers.probe;
    world.providers.probe.answer = { ...answer, models: [], failure: { status: 401, message: 'who?' } };
    const request = { model: 'm', credential_id: CREDENTIAL_ID };
    const failed = await dashboard.post('admin/providers/vllm/test', request, token);
    expect([failed.status, failed.body]).toEqual([
      200,
      expect.objectContaining({ ok: false, models: null, failure: { status: 401, message: 'who?' } }),
    ]);
    expect(world.providers.probe.requests).toEqual([
      { provider: 'vllm', credentialId: '', upstreamModel: '' },
      { provider: 'vllm', credentialId: CREDENTIAL_ID, upstreamModel: 'm' },
    ]);
    const models = await dashboard.get('admin/providers/vllm/models', token);
    expect([models.status, models.body.error]).toMatchObject([
      502,
      { code: 'upstream_failed', detail: 'status 401: who?' },
    ]);
    world.providers.probe.answer = answer;
  });

  test('tests the credential of a provider that only media calls; its models are neither listed nor called', async () => {
    world.catalog.ofProvider.kind = 'kling';
    try {
      const tested = await dashboard.post(
        'admin/providers/vllm/test',
        { credential_id: CREDENTIAL_ID },
        token,
      );
      expect(tested.body).toEqual({
        ok: true,
        credential: { id: 'c', name: 'main' },
        latency_ms: 12,
        models: null,
        failure: null,
      });
      // What media's contract has: a probe of chat would have a model.
      expect(world.providers.probe.requests).toEqual([{ provider: 'vllm', credentialId: CREDENTIAL_ID }]);
      const called = await dashboard.post('admin/providers/vllm/test', { model: 'm' }, token);
      expect([called.status, called.body.error]).toMatchObject([
        400,
        { code: 'invalid_request', detail: expect.stringContaining('model: the provider would charge') },
      ]);
      const models = await dashboard.get('admin/providers/vllm/models', token);
      expect([models.status, models.body.error]).toMatchObject([
        502,
        { code: 'upstream_unavailable', detail: 'models of this kind of provider cannot be listed' },
      ]);
      expect(world.providers.probe.requests).toHaveLength(1);
    } finally {
      delete world.catalog.ofProvider.kind;
    }
  });

  test('sees the models of the endpoint, with a slug for each and prices of the list', async () => {
    const path = 'admin/providers/vllm/models?markup_percent=10&list_provider=groq';
    const { body } = await dashboard.get(path, token);
    const listed = { source: 'a list', source_date: '2026-01-01' };
    expect(body).toEqual({
      data: [
        {
          upstream_model: 'Org/Model:7b',
          name: 'Model 7B',
          input_modalities: ['text'],
          output_modalities: ['text'],
          context_length: 4_096,
          max_output_tokens: 2_048,
          capabilities: ['tools'],
          pricing: { ...listed, tokens: { input: 0.11, output: 0.22, service_tiers: {}, units: {} } },
          cost: { ...listed, tokens: { input: 0.1, output: 0.2, service_tiers: {}, units: {} } },
          unpriced: ['search'],
          price_problem: null,
          suggested_slug: 'vllm/org-model-7b',
          slugs: [],
        },
      ],
      next_cursor: null,
      price_list: { source: 'a list', source_date: '2026-01-01', problem: null },
    });
    expect(world.catalog.priceRequests).toEqual([
      { providerId: 'vllm', upstreamModels: ['Org/Model:7b'], listProvider: 'groq', markupPercent: '10' },
    ]);
    const { pricing } = body.data[0];
    const imported = { models: [{ upstream_model: 'Org/Model:7b', slug: 'vllm/listed', pricing }] };
    const answer = await dashboard.post('admin/providers/vllm/models/import', imported, token);
    expect(answer.body.data).toMatchObject([{ outcome: 'created' }]);
    for (const markup of ['x', '-1', '1e3', '123456']) {
      const { status } = await dashboard.get(`admin/providers/vllm/models?markup_percent=${markup}`, token);
      expect(status).toBe(400);
    }
  });

  test('sees why the price list has no price for a model', async () => {
    const { answer } = world.providers.probe;
    const { models } = answer;
    Object.assign(answer, { models: [{ id: 'tolled', name: '', contextLength: 0, maxOutputTokens: 0 }] });
    try {
      const { body } = await dashboard.get('admin/providers/vllm/models', token);
      expect(body.data).toMatchObject([{ pricing: null, price_problem: 'unsupported price toll_cost' }]);
    } finally {
      Object.assign(answer, { models });
    }
  });

  test('imports models: new ones with prices, and the provider as a target of those that exist', async () => {
    const { body } = await dashboard.post(
      'admin/providers/vllm/models/import',
      {
        models: [
          {
            upstream_model: 'Org/Model:7b',
            context_length: 4_096,
            pricing: { tokens: { input: 0, output: 0 } },
          },
          { upstream_model: 'y', slug: 'sim/chat', priority: 1 },
          { upstream_model: 'z' },
        ],
      },
      token,
    );
    expect(body.data).toEqual([
      { upstream_model: 'Org/Model:7b', slug: 'vllm/org-model-7b', outcome: 'created' },
      { upstream_model: 'y', slug: 'sim/chat', outcome: 'target_added' },
      { upstream_model: 'z', slug: 'vllm/z', outcome: 'refused', detail: 'a new model needs prices' },
    ]);
    expect(world.catalog.edits).toMatchObject([
      {
        method: 'CreateModel',
        request: {
          model: {
            slug: 'vllm/org-model-7b',
            name: 'Org/Model:7b',
            contextLength: 4_096,
            targets: [{ provider: 'vllm', upstreamModel: 'Org/Model:7b', priority: 0 }],
            pricing: { tokens: { inputNano: '0', outputNano: '0' } },
          },
        },
      },
      {
        method: 'UpdateModel',
        request: { model: { targets: [{ provider: 'sim' }, { provider: 'vllm', priority: 1 }] } },
      },
    ]);
    const again = { models: [{ upstream_model: 'y', slug: 'sim/chat' }] };
    const repeated = await dashboard.post('admin/providers/vllm/models/import', again, token);
    expect(repeated.body.data).toMatchObject([{ outcome: 'unchanged' }]);
  });
});
