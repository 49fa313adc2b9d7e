import { until } from '@gateway/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { bearer } from '../conformance/caller';
import { openStream, postJson, sendRequest } from '../support/http';
import { nano, readLedger } from '../support/ledger';
import type { Customer, System } from '../support/system';

export function testShortFunds(gateway: () => System): void {
  let system: System;

  beforeAll(() => {
    system = gateway();
  });

  const call = (apiKey: string, fields: object, content = 'Count to a thousand. [[sim {"chunks":60}]]') =>
    postJson(
      `${system.stack.apiUrl}/v1/chat/completions`,
      { model: 'sim/chat', messages: [{ role: 'user', content }], ...fields },
      apiKey,
    );

  test('a client with a huge max_tokens keeps working to its last cent and never goes below zero', async () => {
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
    const { balanceNano, charges } = await readLedger(system, customer);
    expect(charges.size).toBe(lowered.length);
    expect(balanceNano).toBeGreaterThanOrEqual(0n);
    // The rest does not pay for the cheapest call.
    expect(balanceNano).toBeLessThan(nano(0.001));
    expect(await system.drift()).toBe(0);
  }, 60_000);

  test('a lowered call that its provider refuses still reports the lowered maximum', async () => {
    const customer = await system.provision({ balanceUsd: 0.002 });
    const answer = await call(customer.apiKey, {}, '[[sim {"status":400}]]');
    expect(answer.status).toBe(400);
    expect(Number(answer.headers['x-gateway-max-tokens'])).toBeGreaterThan(15);
  });

  describe('immediate repeats are not refused because the previous call is not settled yet:', () => {
    const answersOf = async ({ apiKey }: Customer) => {
      const codes: string[] = [];
      for (let i = 0; i < 20; i++) {
        const { status, json } = await call(apiKey, { max_tokens: 1_400 }, 'Hi.');
        codes.push(status === 200 ? 'answered' : json.error.code);
      }
      return new Set(codes);
    };

    test('with a low balance', async () => {
      const customer = await system.provision({ balanceUsd: 0.01 });
      const limits = { when_short: 'refuse' };
      await system.dashboard.call('POST', 'billing/limits', customer.token, limits);
      expect(await answersOf(customer)).toEqual(new Set(['answered']));
    });

    test('with a TPM limit', async () => {
      const customer = await system.provision({ key: { tpm_limit: 2_000 } });
      expect(await answersOf(customer)).toEqual(new Set(['answered']));
    });
  });

  test('the per-request cap refuses an explicit max_tokens above it, and lowers an implicit one', async () => {
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

  test('an empty balance is insufficient_balance, whatever the call would cost', async () => {
    const customer = await system.provision({ balanceUsd: 0 });
    const answer = await call(customer.apiKey, { max_tokens: 1 });
    expect([answer.status, answer.json.error.code]).toEqual([402, 'insufficient_balance']);
    expect(Object.keys(answer.json.error).sort()).toEqual(['code', 'message', 'type']);
  });

  test('a long prompt is counted before it is refused: its tokens fit although its bytes do not', async () => {
    const content = 'Say nothing but yes. '.repeat(2_000);
    const customer = await system.provision({ balanceUsd: 0.02 });
    const answer = await call(customer.apiKey, { max_tokens: 100 }, content);
    expect(answer.status).toBe(200);
    expect(answer.headers).not.toHaveProperty('x-gateway-max-tokens');
    expect(answer.json.usage.prompt_tokens).toBeGreaterThan(8_000);
    await system.settled(customer);
  });

  const HAIKU = { model: 'anthropic/claude-haiku-4-5' };

  test('a prompt near the TPM limit is admitted, and a prompt that never fits is refused without Retry-After', async () => {
    const content = 'Say nothing but yes. '.repeat(1_760);
    const customer = await system.provision({ key: { tpm_limit: 10_000 } });
    const say = (text: string) => call(customer.apiKey, { ...HAIKU, max_tokens: 100 }, text);
    const answer = await say(content);
    expect([answer.status, answer.json.usage.prompt_tokens]).toEqual([200, 8_808]);
    await system.settled(customer);
    const after = await say('Hi.');
    const spent = answer.json.usage.total_tokens;
    expect(Number(after.headers['x-ratelimit-remaining-tokens'])).toBeLessThan(10_000 - spent);
    expect(Number(after.headers['x-ratelimit-remaining-tokens'])).toBeGreaterThan(10_000 - spent - 300);
    const hopeless = await say(content.repeat(2));
    expect([hopeless.status, hopeless.json.error.code]).toEqual([429, 'tpm_rate_limited']);
    expect(hopeless.headers['x-should-retry']).toBe('false');
    expect(hopeless.headers).not.toHaveProperty('retry-after');
  });

  test('a TPM limit refuses calls once its tokens are used, and lowers no maximum', async () => {
    const customer = await system.provision({ key: { tpm_limit: 60_000 }, balanceUsd: 50 });
    const hello = () => call(customer.apiKey, HAIKU, 'Hello [[sim {"delay_ms":2000}]]');
    const first = await Promise.all(Array.from({ length: 20 }, hello));
    expect(first.map(({ status }) => status)).toEqual(Array(20).fill(200));
    let used = first.reduce((sum, { json }) => sum + json.usage.total_tokens, 0);

    const usage = { prompt_tokens: 20, completion_tokens: 2_480 };
    const spend = () => call(customer.apiKey, HAIKU, `Hello [[sim ${JSON.stringify({ usage })}]]`);
    let refused: Awaited<ReturnType<typeof call>> | undefined;
    while (!refused && used < 100_000) {
      for (const answer of await Promise.all([spend(), spend()])) {
        expect(answer.headers).not.toHaveProperty('x-gateway-max-tokens');
        if (answer.status === 200) used += answer.json.usage.total_tokens;
        else refused = answer;
      }
      await system.settled(customer);
    }
    expect([refused?.status, refused?.json.error.code]).toEqual([429, 'tpm_rate_limited']);
    expect(used).toBeGreaterThanOrEqual(54_000);
    expect(used).toBeLessThanOrEqual(66_000);
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(60);
  }, 60_000);

  test('a stream in flight counts against the TPM limit as it progresses', async () => {
    const customer = await system.provision({ key: { tpm_limit: 5_000 } });
    // The stream lasts far longer than the test.
    const content = '[[sim {"chunks":8000,"chunk_delay_ms":2}]]';
    const body = {
      model: 'sim/chat',
      stream: true,
      max_tokens: 8_000,
      messages: [{ role: 'user', content }],
    };
    const url = `${system.stack.apiUrl}/v1/chat/completions`;
    const stream = await openStream(url, JSON.stringify(body), customer.apiKey);
    stream.body.resume();
    try {
      // 1,000 tokens were expected of this stream; output beyond them counts as well.
      await until(async () => {
        // A model list uses no tokens.
        const { headers } = await sendRequest(
          `${system.stack.apiUrl}/v1/models`,
          'GET',
          bearer(customer.apiKey),
        );
        return Number(headers['x-ratelimit-remaining-tokens']) < 3_500;
      });
      expect(stream.body.complete).toBe(false);
    } finally {
      stream.leave();
    }
    await system.settled(customer);
  }, 60_000);
}
