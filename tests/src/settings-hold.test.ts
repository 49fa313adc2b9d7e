import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type HttpAnswer, postJson } from './support/http';
import { type Customer, type System, startSystem } from './support/system';

const HEARD_WITHIN_MS = 2_000;

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
const chat = (model = 'sim/chat', apiKey = customer.apiKey): Promise<HttpAnswer> =>
  postJson(
    `${system.stack.apiUrl}/v1/chat/completions`,
    { model, max_tokens: 16, messages: [{ role: 'user', content: 'hi' }] },
    apiKey,
  );

/** The very next call: nothing is waited for. */
async function expectNext(outcome: 'ok' | string, model?: string, apiKey?: string): Promise<void> {
  const { status, json } = await chat(model, apiKey);
  expect(json?.error?.code ?? (status === 200 ? 'ok' : status)).toBe(outcome);
}

/**
 * What is taken away holds at once, because billing decides under the account's lock. What an edge alone
 * decides (which values a key has, and what it may call once more) holds when the edge has heard of it, and a
 * change of a model when chat has.
 */
async function expectSoon(outcome: 'ok' | string, model?: string, apiKey?: string): Promise<void> {
  const deadlineMs = Date.now() + HEARD_WITHIN_MS;
  for (;;) {
    try {
      return await expectNext(outcome, model, apiKey);
    } catch (error) {
      if (Date.now() > deadlineMs) throw error;
      await sleep(20);
    }
  }
}

describe('a key', () => {
  test('is disabled and enabled', async () => {
    await expectNext('ok');
    await key('disable');
    await expectNext('invalid_api_key');
    await key('enable');
    await expectSoon('ok');
  });

  test.each([
    ['daily_limit', 0, 'key_daily_limit'],
    ['monthly_limit', 0, 'key_monthly_limit'],
    ['request_cost_limit', 0, 'request_cost_limit'],
    ['rpm_limit', 0, 'rpm_rate_limited'],
    ['tpm_limit', 0, 'tpm_rate_limited'],
    ['expires_at', '2020-01-01T00:00:00Z', 'expired_api_key'],
    ['allowed_models', ['sim/preview'], 'model_not_found'],
  ])('is held by %s %p, and no longer once that is lifted', async (field, value, code) => {
    await expectNext('ok');
    await key('update', { [field]: value });
    await expectNext(code);
    await key('update', { [field]: null });
    await expectSoon('ok');
  });

  test('goes by a new value beside the old one for a while, and instead of it', async () => {
    const { key: second } = await key('rotate', { grace_seconds: 60 });
    await expectSoon('ok');
    await expectSoon('ok', 'sim/chat', second);
    const { key: third } = await key('rotate', { grace_seconds: 0 });
    await expectSoon('expired_api_key', 'sim/chat', second);
    const { key: fourth } = await key('regenerate');
    for (const old of [customer.apiKey, second, third]) await expectSoon('invalid_api_key', 'sim/chat', old);
    await expectSoon('ok', 'sim/chat', fourth);
  });

  test('that leaked is out for good', async () => {
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
});

describe('an account', () => {
  test('is suspended and taken back', async () => {
    await admin(`accounts/${customer.id}/suspend`);
    await expectNext('invalid_api_key');
    await admin(`accounts/${customer.id}/suspend`, { suspended: false });
    await expectSoon('ok');
  });

  test('has a daily limit', async () => {
    await post('billing/limits', { daily_limit: 0 });
    await expectNext('account_daily_limit');
    await post('billing/limits', { daily_limit: null });
    await expectNext('ok');
  });

  test('is corrected, below zero too', async () => {
    await admin(`accounts/${customer.id}/adjustments`, { amount: -10.5, reason: 'a chargeback' });
    await expectNext('insufficient_balance');
    expect((await system.dashboard.balance(customer.token)).balance).toBe(-0.5);
    await admin(`accounts/${customer.id}/adjustments`, { amount: 1, reason: 'goodwill' });
    await expectNext('ok');
  });

  test('opts in to a preview model', async () => {
    await expectNext('model_not_found', 'sim/preview');
    await post('models/sim/preview/opt-in');
    await expectSoon('ok', 'sim/preview');
  });
});

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

  test('is listed, disabled, enabled and delisted', async () => {
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

  test('costs what it costs now', async () => {
    await admin('models', model('sim/priced'));
    await expectSoon('ok', 'sim/priced');
    const costOf = async () => {
      const before = (await system.settled(customer)).balance;
      const { json } = await chat('sim/priced');
      const { balance } = await system.settled(customer);
      return { nano: Math.round((before - balance) * 1e9), tokens: json.usage.completion_tokens };
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

test('and the books are right', async () => {
  expect(await system.drift()).toBe(0);
});
