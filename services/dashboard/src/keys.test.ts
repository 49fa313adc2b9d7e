import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type Dashboard, startDashboard, startWorld, type World } from './testing/dashboard-fixture';

jest.setTimeout(30_000);

const LIMITS = {
  expires_at: '2030-01-01T00:00:00.000Z',
  allowed_models: ['sim/chat'],
  daily_limit: 0.1,
  monthly_limit: 2,
  request_cost_limit: 1e-9,
  rpm_limit: 10,
  tpm_limit: 1000,
  bare_model_names: true,
  scopes: ['chat', 'account_content'],
  allowed_ips: ['192.0.2.0/24', '2001:db8::1'],
};
const NONE = {
  expires_at: null,
  allowed_models: [],
  daily_limit: null,
  monthly_limit: null,
  request_cost_limit: null,
  rpm_limit: null,
  tpm_limit: null,
  bare_model_names: null,
  scopes: null,
  allowed_ips: null,
};

let world: World;
let dashboard: Dashboard;
let token: string;
let key: { id: string; key: string; name: string };

beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world);
  token = (await dashboard.register()).token;
});
beforeEach(async () => {
  key = (await dashboard.post('keys', { name: 'a key', ...LIMITS }, token)).body;
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

const act = (action: string, body?: unknown) => dashboard.post(`keys/${key.id}/${action}`, body, token);
const shown = async () => (await dashboard.get(`keys/${key.id}`, token)).body;

describe('the usage of a key', () => {
  test('shows the usage of each limit, and of the minute only with a rate limit', async () => {
    const use = {
      day: { used: 1.5, resets_at: '2026-01-03T00:00:00.000Z' },
      month: { used: 2.5, resets_at: '2026-02-01T00:00:00.000Z' },
      account_day: { used: 3.5, resets_at: '2026-01-03T00:00:00.000Z' },
    };
    expect(await dashboard.get(`keys/${key.id}/use`, token)).toMatchObject({
      status: 200,
      body: { ...use, minute: { requests: 4, tokens: 500 } },
    });
    expect((await dashboard.get('billing/use', token)).body).toEqual({ day: use.account_day });
    await act('update', { rpm_limit: null, tpm_limit: null });
    expect((await dashboard.get(`keys/${key.id}/use`, token)).body).toEqual({ ...use, minute: null });
  });
});

describe('an update of a key', () => {
  test('leaves omitted fields unchanged', async () => {
    const before = await shown();
    expect((await act('update', {})).body).toEqual(before);
    expect((await act('update', { name: ' renamed ' })).body).toEqual({
      ...before,
      name: 'renamed',
    });
  });

  test.each(Object.keys(LIMITS) as (keyof typeof LIMITS)[])('removes only %s by null', async (field) => {
    const before = await shown();
    expect((await act('update', { [field]: null })).body).toEqual({
      ...before,
      [field]: NONE[field],
    });
  });

  test('removes all limits at once, and sets all at once', async () => {
    expect((await act('update', NONE)).body).toMatchObject(NONE);
    expect((await act('update', LIMITS)).body).toMatchObject(LIMITS);
  });

  test('removes expiry and allowlist by empty values; zero is a limit', async () => {
    const body = { expires_at: '', allowed_models: [], daily_limit: 0, rpm_limit: 0 };
    expect((await act('update', body)).body).toMatchObject({
      ...LIMITS,
      ...body,
      expires_at: null,
    });
  });

  test('accepts a time with an offset, and a time in the past', async () => {
    const { body } = await act('update', { expires_at: '2020-01-01T02:00:00+02:00' });
    expect(body.expires_at).toBe('2020-01-01T00:00:00.000Z');
  });

  test.each([
    [{ name: null }],
    [{ name: '' }],
    [{ name: 'x'.repeat(201) }],
    [{ daily_limit: -1 }],
    [{ daily_limit: 1e-10 }],
    [{ daily_limit: 1e10 }],
    [{ daily_limit: '1' }],
    [{ rpm_limit: 1.5 }],
    [{ rpm_limit: -1 }],
    [{ tpm_limit: 1e12 }],
    [{ tpm_limit: true }],
    [{ expires_at: 'tomorrow' }],
    [{ expires_at: '2030-02-30T00:00:00Z' }],
    [{ expires_at: 1_900_000_000 }],
    [{ allowed_models: 'sim/chat' }],
    [{ allowed_models: ['chat'] }],
    [{ allowed_models: [null] }],
    [{ allowed_models: ['sim/Unknown'] }],
    [{ allowed_models: ['type:text'] }],
    [{ allowed_models: ['*/gpt-*'] }],
    [{ allowed_models: ['Open*'] }],
    [{ bare_model_names: 'yes' }],
    [{ unsupported_tools: true }],
    [{ detailed_messages: 'yes' }],
    [{ scopes: [] }],
    [{ scopes: ['everything'] }],
    [{ allowed_ips: [] }],
    [{ allowed_ips: ['10.0.0.0/33'] }],
    [{ allowed_ips: ['localhost'] }],
    [{ allowed_models: Array.from({ length: 501 }, (_, index) => `sim/${index}`) }],
    [{ status: 'enabled' }],
    [{ grace_seconds: 1 }],
  ])('refuses the change %p without changing the key', async (body) => {
    const before = await shown();
    const answer = await act('update', body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
    expect(await shown()).toEqual(before);
  });
});

test('stores an alias in an allowlist as the slug of its model, and an unlisted slug unchanged', async () => {
  const allowed_models = ['sim/chat-2026-01-01', 'Sim-Chat', 'sim/chat', 'sim/later'];
  const kept = ['sim/chat', 'sim/later'];
  expect((await act('update', { allowed_models })).body.allowed_models).toEqual(kept);
  const made = await dashboard.post('keys', { name: 'another', allowed_models }, token);
  expect(made.body.allowed_models).toEqual(kept);
});

test('stores patterns and types in an allowlist as they are', async () => {
  const allowed_models = ['type:chat', 'sim/*', '*', '*/gpt-5.5', 'sim/chat'];
  expect((await act('update', { allowed_models })).body.allowed_models).toEqual(allowed_models);
});

test('stores the settings for clients, which change nothing unless they are set', async () => {
  expect(await shown()).toMatchObject({ unsupported_tools: 'refuse', detailed_messages: false });
  const settings = { unsupported_tools: 'drop', detailed_messages: true };
  expect((await act('update', settings)).body).toMatchObject(settings);
  expect((await act('update', { name: 'renamed' })).body).toMatchObject(settings);
  expect((await act('update', { unsupported_tools: 'refuse' })).body).toMatchObject({
    unsupported_tools: 'refuse',
    detailed_messages: true,
  });
});

describe('a new key value', () => {
  test('rotate sets how long the old value stays valid', async () => {
    const { body } = await act('rotate', { grace_seconds: 3_600 });
    expect(body).toEqual({ ...(await shown()), key: expect.stringMatching(/^sk-gw-/) });
    expect(body.key).not.toBe(key.key);
    expect(world.billing.calls.find(({ method }) => method === 'RotateKey')?.request).toMatchObject({
      id: key.id,
      graceSeconds: 3_600,
    });
    expect((await act('rotate', { grace_seconds: 0 })).status).toBe(200);
  });

  test.each([
    [{}, 'missing_parameter'],
    [{ grace_seconds: null }, 'missing_parameter'],
    [{ grace_seconds: -1 }, 'invalid_request'],
    [{ grace_seconds: 0.5 }, 'invalid_request'],
    [{ grace_seconds: '60' }, 'invalid_request'],
    [{ grace_seconds: 30 * 24 * 60 * 60 + 1 }, 'invalid_request'],
  ])('rotate refuses %p', async (body, code) => {
    const answer = await act('rotate', body);
    expect([answer.status, answer.body.error.code]).toEqual([400, code]);
    expect(answer.body.error.param).toBe(code === 'missing_parameter' ? 'grace_seconds' : undefined);
  });

  test('regenerate accepts no fields', async () => {
    const { body } = await act('regenerate');
    expect(body).toEqual({ ...(await shown()), key: expect.stringMatching(/^sk-gw-/) });
    expect(world.billing.calls.some(({ method }) => method === 'RegenerateKey')).toBe(true);
    expect((await act('regenerate', { grace_seconds: 5 })).status).toBe(400);
  });
});

test('disabling and enabling a key is idempotent', async () => {
  for (const [action, status] of [
    ['disable', 'disabled'],
    ['disable', 'disabled'],
    ['enable', 'enabled'],
  ] as const) {
    expect((await act(action, {})).body).toMatchObject({ id: key.id, status, daily_limit: 0.1 });
  }
});

describe("the account's limits", () => {
  const limits = (body?: unknown) =>
    body === undefined
      ? dashboard.get('billing/limits', token)
      : dashboard.post('billing/limits', body, token);

  test('are null by default, stay unchanged when omitted, and are removed by null', async () => {
    expect((await limits()).body).toEqual({ daily_limit: null, when_short: 'lower' });
    expect((await limits({ daily_limit: 1.5 })).body).toEqual({ daily_limit: 1.5, when_short: 'lower' });
    expect((await limits({ when_short: 'refuse' })).body).toEqual({ daily_limit: 1.5, when_short: 'refuse' });
    expect((await limits({})).body).toEqual({ daily_limit: 1.5, when_short: 'refuse' });
    expect((await limits({ daily_limit: 0 })).body.daily_limit).toBe(0);
    expect((await limits({ daily_limit: null, when_short: 'lower' })).body.daily_limit).toBeNull();
    expect((await limits()).body).toEqual({ daily_limit: null, when_short: 'lower' });
  });

  test.each([
    [{ daily_limit: -0.1 }],
    [{ daily_limit: 1e-10 }],
    [{ daily_limit: [1] }],
    [{ when_short: 'ask' }],
    [{ when_short: null }],
    [{ monthly_limit: 1 }],
  ])('refuse the limits %p', async (body) => {
    const answer = await limits(body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
  });
});

describe("the account's settings", () => {
  const settings = (body?: unknown) =>
    body === undefined
      ? dashboard.get('account/settings', token)
      : dashboard.post('account/settings', body, token);

  test('disable bare model names until an owner enables them', async () => {
    expect((await settings()).body).toEqual({ bare_model_names: false });
    expect((await settings({ bare_model_names: true })).body).toEqual({ bare_model_names: true });
    expect((await settings({})).body).toEqual({ bare_model_names: true });
    expect((await settings({ bare_model_names: false })).body).toEqual({ bare_model_names: false });
  });

  test.each([[{ bare_model_names: null }], [{ bare_model_names: 'yes' }], [{ daily_limit: 1 }]])(
    'refuse the settings %p',
    async (body) => {
      const answer = await settings(body);
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
    },
  );
});

describe('opting in', () => {
  test.each(['sim/preview', 'sim%2Fpreview'])('to a preview model is idempotent: %s', async (slug) => {
    const { token: fresh, account } = await dashboard.register();
    const optedIn = async () => (await dashboard.get(`models/${slug}`, fresh)).body.opted_in;
    expect(await optedIn()).toBe(false);
    for (const body of [undefined, {}]) {
      const answer = await dashboard.post(`models/${slug}/opt-in`, body, fresh);
      expect(answer.body).toMatchObject({ slug: 'sim/preview', preview: true, opted_in: true });
      expect(world.billing.accounts.get(account.id)?.previewModels).toEqual(['sim/preview']);
    }
    expect(await optedIn()).toBe(true);
  });

  test.each([
    ['sim/none', 404, 'model_not_found'],
    ['sim/delisted', 404, 'model_not_found'],
    ['sim', 404, 'model_not_found'],
    ['sim/chat', 400, 'invalid_request'],
  ])('to %s is refused', async (slug, status, code) => {
    const answer = await dashboard.post(`models/${slug}/opt-in`, undefined, token);
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  });
});
