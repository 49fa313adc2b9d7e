import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nano, readBooks } from './support/books';
import { postJson } from './support/http';
import { type Customer, type System, startSystem } from './support/system';

let system: System;

beforeAll(async () => {
  system = await startSystem();
}, 60_000);
afterAll(() => system?.stop(), 30_000);

const call = (apiKey: string, fields: object, content = 'Count to a thousand. [[sim {"chunks":60}]]') =>
  postJson(
    `${system.stack.apiUrl}/v1/chat/completions`,
    { model: 'sim/chat', messages: [{ role: 'user', content }], ...fields },
    apiKey,
  );

test('a client that names a huge maximum keeps working on its last cent, and never goes below zero', async () => {
  const customer = await system.provision({ balanceUsd: 0.01 });
  const lowered: number[] = [];
  let answer = await call(customer.apiKey, { max_tokens: 16_000 });
  while (answer.status === 200 && lowered.length < 200) {
    lowered.push(Number(answer.headers['x-gateway-max-tokens']));
    await system.settled(customer);
    answer = await call(customer.apiKey, { max_tokens: 16_000 });
  }
  expect([answer.status, answer.json.error.code]).toEqual([402, 'insufficient_balance']);
  expect(lowered.length).toBeGreaterThan(10);
  expect(lowered.every((tokens) => tokens >= 16 && tokens < 16_000)).toBe(true);
  const { balanceNano, charges } = await readBooks(system, customer);
  expect(charges.size).toBe(lowered.length);
  expect(balanceNano).toBeGreaterThanOrEqual(0n);
  // What is left would not have paid for the least call.
  expect(balanceNano).toBeLessThan(nano(0.001));
  expect(await system.drift()).toBe(0);
}, 60_000);

test('a lowered call that its provider refuses says to what it was lowered', async () => {
  const customer = await system.provision({ balanceUsd: 0.002 });
  const answer = await call(customer.apiKey, {}, '[[sim {"status":400}]]');
  expect(answer.status).toBe(400);
  expect(Number(answer.headers['x-gateway-max-tokens'])).toBeGreaterThan(15);
});

describe('a client that asks again at once is not refused for what its last call keeps until it is settled', () => {
  const answersOf = async ({ apiKey }: Customer) => {
    const codes: string[] = [];
    for (let i = 0; i < 20; i++) {
      const { status, json } = await call(apiKey, { max_tokens: 1_400 }, 'Hi.');
      codes.push(status === 200 ? 'answered' : json.error.code);
    }
    return new Set(codes);
  };

  test('of its balance', async () => {
    const customer = await system.provision({ balanceUsd: 0.01 });
    const limits = { when_short: 'refuse' };
    await system.dashboard.call('POST', 'billing/limits', customer.token, limits);
    expect(await answersOf(customer)).toEqual(new Set(['answered']));
  });

  test('of the tokens of a minute', async () => {
    const customer = await system.provision({ key: { tpm_limit: 2_000 } });
    expect(await answersOf(customer)).toEqual(new Set(['answered']));
  });
});

test('the per-request cap refuses a maximum that the caller named, and lowers one that it did not', async () => {
  const customer = await system.provision({ key: { request_cost_limit: 0.001 } });
  const refused = await call(customer.apiKey, { max_tokens: 5_000 });
  expect([refused.status, refused.json.error]).toEqual([
    402,
    expect.objectContaining({ code: 'request_cost_limit', type: 'usage_cap_exceeded', limit: 0.001 }),
  ]);
  expect(refused.json.error.used).toBeGreaterThan(0.02);
  expect(refused.headers['x-should-retry']).toBe('false');
  const lowered = await call(customer.apiKey, {});
  expect(lowered.status).toBe(200);
  expect(Number(lowered.headers['x-gateway-max-tokens'])).toBeLessThan(250);
  expect(lowered.json.usage.completion_tokens).toBeLessThan(250);
});

test('no money at all is insufficient_balance, whatever the call would cost', async () => {
  const customer = await system.provision({ balanceUsd: 0 });
  const answer = await call(customer.apiKey, { max_tokens: 1 });
  expect([answer.status, answer.json.error.code]).toEqual([402, 'insufficient_balance']);
  expect(Object.keys(answer.json.error).sort()).toEqual(['code', 'message', 'type']);
});

test('a long prompt is counted before it is refused: its tokens fit where its bytes do not', async () => {
  const content = 'Say nothing but yes. '.repeat(2_000);
  const customer = await system.provision({ balanceUsd: 0.02 });
  const answer = await call(customer.apiKey, { max_tokens: 100 }, content);
  expect(answer.status).toBe(200);
  expect(answer.headers).not.toHaveProperty('x-gateway-max-tokens');
  expect(answer.json.usage.prompt_tokens).toBeGreaterThan(8_000);
  await system.settled(customer);
});

test('a prompt whose encoding is not public fits the tokens of a minute where its bytes never could', async () => {
  const content = 'Say nothing but yes. '.repeat(400);
  const customer = await system.provision({ key: { tpm_limit: 5_000 } });
  const say = (text: string) =>
    call(customer.apiKey, { model: 'anthropic/claude-haiku-4-5', max_tokens: 100 }, text);
  const answer = await say(content);
  expect([answer.status, answer.json.usage.prompt_tokens]).toEqual([200, 2_008]);
  await system.settled(customer);
  const after = await say('Hi.');
  const spent = answer.json.usage.total_tokens;
  expect(Number(after.headers['x-ratelimit-remaining-tokens'])).toBeLessThan(5_000 - spent);
  expect(Number(after.headers['x-ratelimit-remaining-tokens'])).toBeGreaterThan(5_000 - spent - 300);
  const hopeless = await say(content.repeat(3));
  expect([hopeless.status, hopeless.json.error.code]).toEqual([429, 'tpm_rate_limited']);
  expect(hopeless.headers['x-should-retry']).toBe('false');
});
