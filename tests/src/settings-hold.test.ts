import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type HttpAnswer, postJson, sendRequest } from './support/http';
import { readLedger } from './support/ledger';
import { muteNotifications } from './support/mute-notifications';
import { type Customer, type System, startSystem } from './support/system';

/** Chat receives changed models by a push, possibly from the other catalog instance. */
const PROPAGATED_WITHIN_MS = 2_000;
const RACE_ROUNDS = process.env.TEST_HEAVY ? 200 : 40;

let system: System;
let operator: string;
let customer: Customer;

beforeAll(async () => {
  system = await startSystem({ autoRestart: false, instances: { billing: 2, catalog: 2, edge: 2 } });
  operator = await system.operatorToken();
}, 60_000);
beforeEach(async () => {
  customer = await system.provision();
});
afterAll(() => system?.stop(), 30_000);

const post = (path: string, body: object = {}) => system.dashboard.call('POST', path, customer.token, body);
const key = (action: string, body?: object) => post(`keys/${customer.keyId}/${action}`, body);
const admin = (path: string, body: object = {}) =>
  system.dashboard.call('POST', `admin/${path}`, operator, body);
/** Makes the same call on each edge concurrently. */
const chats = (model = 'sim/chat', apiKey = customer.apiKey): Promise<HttpAnswer[]> =>
  Promise.all(
    system.stack.apiUrls.map((url) =>
      postJson(
        `${url}/v1/chat/completions`,
        { model, max_tokens: 16, messages: [{ role: 'user', content: 'hi' }] },
        apiKey,
      ),
    ),
  );
const outcomeOf = ({ status, json }: HttpAnswer) => json?.error?.code ?? (status === 200 ? 'ok' : status);

/** Checks the next call on each edge, without waiting. */
async function expectNext(outcome: 'ok' | string, model?: string, apiKey?: string): Promise<void> {
  const answers = await chats(model, apiKey);
  expect(answers.map(outcomeOf)).toEqual(answers.map(() => outcome));
}

/** Waits for a change of the catalog, which chat receives asynchronously. */
async function expectSoon(outcome: 'ok' | string, model?: string, apiKey?: string): Promise<void> {
  const deadlineMs = Date.now() + PROPAGATED_WITHIN_MS;
  for (;;) {
    try {
      return await expectNext(outcome, model, apiKey);
    } catch (error) {
      if (Date.now() > deadlineMs) throw error;
      await sleep(20);
    }
  }
}

/** Returns the models that each edge lists for the key. */
async function listed(): Promise<string[][]> {
  const headers = { authorization: `Bearer ${customer.apiKey}` };
  const answers = await Promise.all(
    system.stack.apiUrls.map((url) => sendRequest(`${url}/v1/models`, 'GET', headers)),
  );
  return answers.map(({ json }) => json.data.map(({ id }: { id: string }) => id));
}

function keySettings(): void {
  test('can be disabled and enabled', async () => {
    await expectNext('ok');
    await key('disable');
    await expectNext('invalid_api_key');
    await key('enable');
    await expectNext('ok');
  });

  test.each([
    ['daily_limit', 0, 'key_daily_limit'],
    ['monthly_limit', 0, 'key_monthly_limit'],
    ['request_cost_limit', 0, 'request_cost_limit'],
    ['rpm_limit', 0, 'rpm_rate_limited'],
    ['tpm_limit', 0, 'tpm_rate_limited'],
    ['expires_at', '2020-01-01T00:00:00Z', 'expired_api_key'],
    ['allowed_models', ['sim/preview'], 'model_not_found'],
  ])('is refused by %s %p until the setting is removed', async (field, value, code) => {
    await expectNext('ok');
    await key('update', { [field]: value });
    await expectNext(code);
    await key('update', { [field]: null });
    await expectNext('ok');
  });

  test('can call a model as soon as it is added to the allowlist, and lists it', async () => {
    customer = await system.provision({ key: { allowed_models: ['sim/unreachable'] } });
    await expectNext('model_not_found');
    expect(await listed()).toEqual([['sim/unreachable'], ['sim/unreachable']]);
    const both = ['sim/chat', 'sim/unreachable'];
    await key('update', { allowed_models: both });
    expect(await listed()).toEqual([both, both]);
    await expectNext('ok');
  });

  test('can call models by bare names while the setting is on', async () => {
    await expectNext('ok', 'sim/chat-2026-01-01');
    await expectNext('invalid_model', 'gpt-4o');
    await key('update', { bare_model_names: true });
    await expectNext('ok', 'gpt-4o');
    await expectNext('ok', 'gpt-4o-2024-08-06');
    for (const name of ['haiku', 'claude-haiku-4-5-20251001']) await expectNext('ok', name);
    for (const placeholder of ['auto', 'default', 'nonsense']) await expectNext('invalid_model', placeholder);
    await key('update', { bare_model_names: null });
    await expectNext('invalid_model', 'gpt-4o');
  });

  test('accepts a rotated value for the grace period, and a regenerated value only', async () => {
    const { key: second } = await key('rotate', { grace_seconds: 60 });
    await expectNext('ok');
    await expectNext('ok', 'sim/chat', second);
    const { key: third } = await key('rotate', { grace_seconds: 0 });
    for (const old of [customer.apiKey, second]) await expectNext('expired_api_key', 'sim/chat', old);
    await expectNext('ok', 'sim/chat', third);
    const { key: fourth } = await key('regenerate');
    for (const old of [customer.apiKey, second, third]) await expectNext('invalid_api_key', 'sim/chat', old);
    await expectNext('ok', 'sim/chat', fourth);
  });

  test('stays refused after it was revoked', async () => {
    await admin(`keys/${customer.keyId}/revoke`);
    await expectNext('invalid_api_key');
    const answer = await system.dashboard.tryCall(
      'POST',
      `keys/${customer.keyId}/enable`,
      customer.token,
      {},
    );
    expect(answer.status).not.toBe(200);
    await expectNext('invalid_api_key');
  });
}

function accountSettings(): void {
  test('can be suspended and reactivated', async () => {
    await admin(`accounts/${customer.id}/suspend`);
    await expectNext('invalid_api_key');
    await admin(`accounts/${customer.id}/suspend`, { suspended: false });
    await expectNext('ok');
  });

  test('is refused by its daily limit until the limit is removed', async () => {
    await post('billing/limits', { daily_limit: 0 });
    await expectNext('account_daily_limit');
    await post('billing/limits', { daily_limit: null });
    await expectNext('ok');
  });

  test('can be adjusted, also below zero', async () => {
    await admin(`accounts/${customer.id}/adjustments`, { amount: -10.5, reason: 'a chargeback' });
    await expectNext('insufficient_balance');
    expect((await system.dashboard.balance(customer.token)).balance).toBe(-0.5);
    await admin(`accounts/${customer.id}/adjustments`, { amount: 1, reason: 'goodwill' });
    await expectNext('ok');
  });

  test('allows bare model names to all its keys except those with their own setting', async () => {
    await expectNext('invalid_model', 'sonnet');
    await post('account/settings', { bare_model_names: true });
    await expectNext('ok', 'sonnet');
    await key('update', { bare_model_names: false });
    await expectNext('invalid_model', 'sonnet');
    await key('update', { bare_model_names: null });
    await post('account/settings', { bare_model_names: false });
    await expectNext('invalid_model', 'sonnet');
  });

  test('can opt in to a preview model', async () => {
    await expectNext('model_not_found', 'sim/preview');
    await post('models/sim/preview/opt-in');
    await expectNext('ok', 'sim/preview');
  });
}

describe('a key', keySettings);
describe('an account', accountSettings);

test('a replaced key value is refused on every edge immediately, and never billed', async () => {
  let value = customer.apiKey;
  const answered: string[] = [];
  for (let round = 0; round < RACE_ROUNDS; round++) {
    // Both edges have cached the value when it is replaced.
    const good = await chats('sim/chat', value);
    expect(good.map(outcomeOf)).toEqual(['ok', 'ok']);
    answered.push(...good.map(({ headers }) => String(headers['x-request-id'])));
    const { key: next } = await key('regenerate');
    await expectNext('invalid_api_key', 'sim/chat', value);
    value = next;
  }
  await system.settled(customer);
  const { charges } = await readLedger(system, customer);
  expect([...charges.keys()].sort()).toEqual(answered.sort());
}, 120_000);

describe('a model', () => {
  const model = (slug: string) => ({
    slug,
    name: 'A model',
    input_modalities: ['text'],
    output_modalities: ['text'],
    context_length: 10_000,
    max_output_tokens: 100,
    targets: [{ provider: 'sim', upstream_model: 'chat' }],
    pricing: { tokens: { input: 0, output: 1_000 } },
  });

  test('can be created, disabled, enabled and delisted', async () => {
    await expectSoon('model_not_found', 'sim/fresh');
    await admin('models', model('sim/fresh'));
    await expectSoon('ok', 'sim/fresh');
    await admin('models/sim/fresh/status', { status: 'disabled' });
    await expectSoon('model_not_found', 'sim/fresh');
    await admin('models/sim%2Ffresh/status', { status: 'active' });
    await expectSoon('ok', 'sim/fresh');
    await admin('models/sim/fresh/delist', { successor: 'sim/chat' });
    await expectSoon('model_not_found', 'sim/fresh');
    const detail = await system.dashboard.call('GET', 'models/sim/fresh', customer.token);
    expect(detail).toMatchObject({ status: 'delisted', successor: 'sim/chat' });
  });

  test('is billed, listed and allowed by its slug, whichever of its names a client uses', async () => {
    const alias = 'sim/renamed-2026-01-01';
    await admin('models', { ...model('sim/renamed'), aliases: [alias, 'renamed-bare'] });
    await expectSoon('ok', alias);
    await key('update', { allowed_models: [alias], bare_model_names: true });
    const { allowed_models } = await system.dashboard.call('GET', `keys/${customer.keyId}`, customer.token);
    expect(allowed_models).toEqual(['sim/renamed']);
    const headers = { authorization: `Bearer ${customer.apiKey}` };
    for (const name of [alias, 'renamed-bare', 'sim/renamed']) {
      const [answer] = await chats(name);
      expect(answer!.json.model).toBe('sim/renamed');
      await system.settled(customer);
      const record = `requests/${answer!.headers['x-request-id']}`;
      expect(await system.dashboard.call('GET', record, customer.token)).toMatchObject({
        model: 'sim/renamed',
      });
      const shown = await sendRequest(`${system.stack.apiUrl}/v1/models/${name}`, 'GET', headers);
      expect(shown.json).toMatchObject({ id: 'sim/renamed', aliases: [alias, 'renamed-bare'] });
    }
    await expectNext('model_not_found', 'sim/chat-2026-01-01');
    await admin('models/sim/renamed/update', { aliases: [] });
    await expectSoon('model_not_found', alias);
  });

  test('is charged at a new price shortly after the change', async () => {
    await admin('models', model('sim/priced'));
    await expectSoon('ok', 'sim/priced');
    const costOf = async () => {
      const before = (await system.settled(customer)).balance;
      const answers = await chats('sim/priced');
      const { balance } = await system.settled(customer);
      const tokens = answers.reduce((sum, { json }) => sum + json.usage.completion_tokens, 0);
      return { nano: Math.round((before - balance) * 1e9), tokens };
    };
    const first = await costOf();
    expect(first.nano).toBe(first.tokens * 1_000_000);
    await admin('models/sim/priced/prices', { tokens: { input: 0, output: 2_000 } });
    const endMs = Date.now() + 2_000;
    let second = await costOf();
    while (second.nano !== second.tokens * 2_000_000 && Date.now() < endMs) second = await costOf();
    expect(second.nano).toBe(second.tokens * 2_000_000);
  });
});

describe('while edges receive no notifications', () => {
  beforeAll(async () => {
    await muteNotifications(system.stack.engines.databaseUrl);
    await system.stack.ready();
    customer = await system.provision();
    await until(async () => (await chats()).every(({ status }) => status === 200));
  }, 60_000);

  describe('a key', keySettings);
  describe('an account', accountSettings);
});

test('after all changes the books balance', async () => {
  expect(await system.drift()).toBe(0);
});
