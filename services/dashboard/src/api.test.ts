import { until } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type Dashboard, startDashboard, startWorld, type World } from './testing/dashboard-fixture';
import { MODELS } from './testing/fake-catalog';

jest.setTimeout(30_000);

let world: World;
let dashboard: Dashboard;
let token: string;
let accountId: string;
let operator: string;

beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world);
  const user = await dashboard.register();
  token = user.token;
  accountId = user.account.id;
  operator = await dashboard.loginOperator();
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

describe('models', () => {
  const slugs = async (query: string) =>
    (await dashboard.get(`models${query}`, token)).body.data.map((model: { slug: string }) => model.slug);

  test('lists active and disabled models by slug', async () => {
    expect(await slugs('')).toEqual([
      'sim/both',
      'sim/chat',
      'sim/disabled',
      'sim/image',
      'sim/preview',
      'sim/video',
    ]);
  });

  test('filters by type', async () => {
    expect(await slugs('?type=chat')).toEqual(['sim/both', 'sim/chat', 'sim/disabled', 'sim/preview']);
    expect(await slugs('?type=image')).toEqual(['sim/both', 'sim/image']);
    expect(await slugs('?type=video')).toEqual(['sim/video']);
  });

  test('lists in pages', async () => {
    const first = (await dashboard.get('models?limit=2', token)).body;
    expect(first.data).toHaveLength(2);
    const second = (await dashboard.get(`models?limit=3&cursor=${first.next_cursor}`, token)).body;
    expect(second.data.map((model: { slug: string }) => model.slug)).toEqual([
      'sim/disabled',
      'sim/image',
      'sim/preview',
    ]);
    const last = (await dashboard.get(`models?limit=3&cursor=${second.next_cursor}`, token)).body;
    expect(last.data).toHaveLength(1);
    expect(last.next_cursor).toBeNull();
  });

  test.each([
    '?type=audio',
    '?limit=0',
    '?limit=1001',
    '?limit=x',
    '?limit=1&limit=2',
    '?cursor=%00',
    '?type=',
  ])('refuses the query %s', async (query) => {
    const answer = await dashboard.get(`models${query}`, token);
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe('invalid_request');
  });

  test.each(['sim/chat-2026-01-01', 'Sim-Chat'])('returns the model for the alias %s', async (alias) => {
    expect((await dashboard.get(`models/${alias}`, token)).body.slug).toBe('sim/chat');
  });

  test('shows prices in USD', async () => {
    const chat = await dashboard.get('models/sim/chat', token);
    expect(chat.body).toEqual({
      slug: 'sim/chat',
      name: 'sim/chat',
      aliases: ['sim/chat-2026-01-01', 'Sim-Chat'],
      status: 'active',
      preview: false,
      successor: null,
      input_modalities: ['text'],
      output_modalities: ['text'],
      context_length: 1_000,
      max_output_tokens: 100,
      capabilities: [],
      workflow: [],
      image: null,
      video: null,
      created_at: '2026-01-01T00:00:00.000Z',
      pricing: {
        currency: 'USD',
        version: 7,
        source: 'a page',
        source_date: '2026-01-01',
        tokens: { input: 0.075, output: 1e-9, cache_read: 0, service_tiers: {}, units: {} },
      },
    });
    expect((await dashboard.get('models/sim/image', token)).body.pricing.image).toEqual({
      per_image: [{ size: '1024x1024', quality: 'low', price: 0.01 }],
      text_input: 5,
    });
    expect((await dashboard.get('models/sim%2Fvideo', token)).body.pricing.video).toEqual({
      tiers: ['std', 'pro'],
      default_tier: 'std',
      per_second: { std: 0.05, pro: 0.1 },
    });
  });

  test('a delisted model names its successor', async () => {
    const { status, body } = await dashboard.get('models/sim/delisted', token);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'delisted', successor: 'sim/chat' });
  });

  test.each([
    'models/sim/none',
    'models/sim',
    'models/SIM/chat',
    'models/sim/chat/x',
    'models/sim%2fchat%2f',
  ])('answers model_not_found to %s', async (path) => {
    const { status, body } = await dashboard.get(path, token);
    expect(status).toBe(404);
    expect(body.error.code).toBe('model_not_found');
  });

  test('shows a change of the catalog at once; a new snapshot replaces everything', async () => {
    const changed = { ...MODELS[0]!, name: 'New name' };
    world.catalog.send({ revision: '2', snapshot: false, models: [changed] });
    await until(async () => (await dashboard.get('models/sim/chat', token)).body.name === 'New name');
    expect(await slugs('')).toHaveLength(6);
    world.catalog.send({ revision: '3', snapshot: true, models: [changed] });
    await until(async () => (await slugs('')).length === 1);
  });
});

describe('keys', () => {
  test('are created with limits, and their value is shown once', async () => {
    const made = await dashboard.post(
      'keys',
      {
        name: 'a key',
        expires_at: '2030-01-01T02:00:00+02:00',
        allowed_models: ['sim/chat'],
        daily_limit: 0.1,
        monthly_limit: 2,
        request_cost_limit: 1e-9,
        rpm_limit: 10,
        tpm_limit: 1000,
      },
      token,
    );
    expect(made.status).toBe(200);
    const { key, ...shown } = made.body;
    expect(key).toMatch(/^sk-gw-/);
    expect(shown).toEqual({
      id: expect.any(String),
      name: 'a key',
      status: 'enabled',
      revoked_at: null,
      revoke_reason: null,
      hint: 'abcd',
      created_at: '2026-01-02T03:04:05.000Z',
      expires_at: '2030-01-01T00:00:00.000Z',
      allowed_models: ['sim/chat'],
      daily_limit: 0.1,
      monthly_limit: 2,
      request_cost_limit: 1e-9,
      rpm_limit: 10,
      tpm_limit: 1000,
      bare_model_names: null,
      fallback_models: true,
      unsupported_tools: 'refuse',
      detailed_messages: false,
      scopes: null,
      allowed_ips: null,
      owner_limits: [],
      holder_ids: [expect.any(String)],
    });
    expect(world.billing.keys.at(-1)).toMatchObject({
      accountId,
      dailyLimitNano: '100000000',
      requestCostLimitNano: '1',
    });
    expect((await dashboard.get(`keys/${shown.id}`, token)).body).toEqual(shown);
    expect((await dashboard.post(`keys/${shown.id}/delete`, undefined, token)).body.status).toBe('deleted');
  });

  test('have no limits by default; null and empty values set none', async () => {
    const plain = { name: 'plain' };
    const blank = { name: 'blank', expires_at: '', allowed_models: [], daily_limit: null, rpm_limit: null };
    for (const body of [plain, blank]) {
      const made = await dashboard.post('keys', body, token);
      expect(made.body).toMatchObject({
        expires_at: null,
        allowed_models: [],
        daily_limit: null,
        rpm_limit: null,
      });
      expect(world.billing.keys.at(-1)).not.toHaveProperty('dailyLimitNano');
    }
  });

  test('are listed in pages', async () => {
    const first = (await dashboard.get('keys?limit=1', token)).body;
    expect(first.data).toHaveLength(1);
    expect(first.next_cursor).toMatch(/^[\w-]{22}$/);
    const second = (await dashboard.get(`keys?limit=1&cursor=${first.next_cursor}`, token)).body;
    for (const path of ['keys', 'billing/topups', 'billing/ledger']) {
      for (const cursor of ['1', path === 'keys' ? 'x' : first.next_cursor]) {
        expect((await dashboard.get(`${path}?cursor=${cursor}`, token)).body.error.code).toBe(
          'invalid_request',
        );
      }
    }
    expect(second.data[0].id).not.toBe(first.data[0].id);
    expect(first.data[0]).not.toHaveProperty('key');
  });

  test('answer not_found for a key of another account and for an unknown key, for operators too', async () => {
    const other = await dashboard.register();
    const { id } = (await dashboard.post('keys', { name: 'mine' }, other.token)).body;
    for (const [path, who] of [
      [id, token],
      [id, operator],
      ['key_none', token],
    ]) {
      expect((await dashboard.get(`keys/${path}`, who)).body.error.code).toBe('not_found');
      expect((await dashboard.post(`keys/${path}/delete`, {}, who)).body.error.code).toBe('not_found');
    }
  });

  test.each([
    ['no name', {}, 'missing_parameter', 'name'],
    ['a blank name', { name: '' }, 'missing_parameter', 'name'],
    ['a body that is not an object', [], 'invalid_request', undefined],
    ['null', null, 'invalid_request', undefined],
    ['a limit below zero', { name: 'x', daily_limit: -1 }, 'invalid_request', undefined],
    ['a limit finer than a nano-dollar', { name: 'x', daily_limit: 1e-10 }, 'invalid_request', undefined],
    ['a limit above the maximum', { name: 'x', daily_limit: 1e300 }, 'invalid_request', undefined],
    ['a limit as text', { name: 'x', daily_limit: '1' }, 'invalid_request', undefined],
    ['a fractional rate limit', { name: 'x', rpm_limit: 0.5 }, 'invalid_request', undefined],
    ['an expiry without a time', { name: 'x', expires_at: '2030-01-01' }, 'invalid_request', undefined],
    ['a display name as model', { name: 'x', allowed_models: ['GPT 5'] }, 'invalid_request', undefined],
    ['an unknown field', { name: 'x', limit: 1 }, 'invalid_request', undefined],
    ['a control character', { name: 'a\u0000b' }, 'invalid_request', undefined],
  ])('refuses to create a key with %s', async (_what, body, code, param) => {
    const answer = await dashboard.post('keys', body, token);
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe(code);
    expect(answer.body.error.param).toBe(param);
  });
});

test('the error for an amount that is too large states the maximum', async () => {
  const { body } = await dashboard.post('keys', { name: 'x', daily_limit: 9e9 }, token);
  expect(body.error.detail).toMatch(/^daily_limit: .*1000000000$/);
});

describe('money', () => {
  const topUp = (body: unknown, who = operator, headers = {}, account = accountId) =>
    dashboard.post(`admin/accounts/${account}/topups`, body, who, headers);

  test('a top-up by an operator results in the exact balance', async () => {
    const made = await topUp({ amount: 12.345678901, status: 'cleared' });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^top_/),
      account_id: accountId,
      amount: 12.345678901,
      status: 'cleared',
      created_at: '2026-01-02T03:04:05.000Z',
      cleared_at: '2026-01-02T03:04:05.000Z',
      voided_at: null,
      reference: null,
    });
    world.billing.accounts.get(accountId)!.heldNano = 1n;
    const { body } = await dashboard.get('billing/balance', token);
    expect(body).toMatchObject({ balance: 12.345678901, held: 1e-9, available: 12.3456789 });
    const listed = (await dashboard.get('billing/topups', token)).body;
    expect(listed).toEqual({ data: [made.body], next_cursor: null });
  });

  test('a pending top-up can be cleared later', async () => {
    const pending = (await topUp({ amount: 1, status: 'pending' })).body;
    expect(pending).toMatchObject({ status: 'pending', cleared_at: null });
    const cleared = await dashboard.post(`admin/topups/${pending.id}/clear`, undefined, operator);
    expect(cleared.body).toMatchObject({ id: pending.id, status: 'cleared' });
  });

  test('the same idempotency key creates one top-up', async () => {
    const headers = { 'idempotency-key': 'invoice 7' };
    const first = (await topUp({ amount: 1, status: 'cleared' }, operator, headers)).body;
    const again = (await topUp({ amount: 1, status: 'cleared' }, operator, headers)).body;
    const other = (await topUp({ amount: 1, status: 'cleared' }, operator, { 'idempotency-key': '8' })).body;
    expect(again.id).toBe(first.id);
    expect(other.id).not.toBe(first.id);
  });

  test('the ledger shows charges as negative amounts', async () => {
    const { body } = await dashboard.get('billing/ledger', token);
    expect(body.data).toEqual([
      {
        id: expect.stringMatching(/^[\w-]{22}$/),
        kind: 'charge',
        amount: -0.0000015,
        reference: 'a-call',
        note: null,
        task_id: null,
        created_at: '2026-01-02T03:04:05.000Z',
      },
    ]);
  });

  test.each([
    ['no amount', { status: 'cleared' }, 'missing_parameter'],
    ['no status', { amount: 1 }, 'missing_parameter'],
    ['an amount of zero', { amount: 0, status: 'cleared' }, 'invalid_request'],
    ['a negative amount', { amount: -1, status: 'cleared' }, 'invalid_request'],
    ['an unknown status', { amount: 1, status: 'done' }, 'invalid_request'],
  ])('refuses a top-up with %s', async (_what, body, code) => {
    expect((await topUp(body)).body.error.code).toBe(code);
  });

  test('answers not_found to users who are not operators, whatever the body', async () => {
    for (const body of [{ amount: 1, status: 'cleared' }, { nonsense: true }]) {
      const answer = await topUp(body, token);
      expect(answer.status).toBe(404);
      expect(answer.body.error.code).toBe('not_found');
    }
    expect((await topUp({ amount: 1, status: 'cleared' }, operator, {}, 'acct_none')).status).toBe(404);
  });
});
