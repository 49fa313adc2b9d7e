import { ERROR_TABLE } from '@gateway/errors';
import { describe, expect, test } from '@jest/globals';
import { failed, fakeGateway, ok, START_MS } from './client.fixture.ts';
import { CODES_BY_TYPE, type GatewayCode } from './error-codes.ts';
import type { CallOptions } from './options.ts';

const CHAT = { model: 'a/x', messages: [{ role: 'user', content: 'hi' }] };
const IMAGE = { model: 'a/image', prompt: 'a cat' };

/** Returns the waits between the attempts of a call whose every attempt fails, and what it throws. */
async function failAlways(code: string, options: CallOptions = {}, headers = {}, more = {}) {
  const { client, sent, waits } = fakeGateway([failed(code, 500, headers, more)], { defaults: options });
  const error = await client.chat.create(CHAT).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'GatewayError', code, attempts: sent.length });
  expect(sent).toHaveLength(waits.length + 1);
  return { waits, error };
}

const WAITS: Readonly<Record<GatewayCode, readonly number[]>> = {
  upstream_failed: [1_000, 2_000, 4_000],
  internal_error: [1_000, 2_000, 4_000],
  rate_limited: [1_000, 2_000, 4_000, 8_000],
  rpm_rate_limited: [1_000, 2_000, 4_000, 8_000],
  tpm_rate_limited: [1_000, 2_000, 4_000, 8_000],
  image_generation_failed: [1_000, 2_000],
  video_generation_failed: [1_000, 2_000],
  video_task_id_missing: [1_000, 2_000],
  upstream_unavailable: [],
  image_generation_timeout: [],
  video_billing_error: [],
  request_cost_limit: [],
  key_daily_limit: [],
  key_monthly_limit: [],
  account_daily_limit: [],
  insufficient_balance: [],
  invalid_api_key: [],
  expired_api_key: [],
  invalid_request: [],
  invalid_model: [],
  missing_parameter: [],
  video_tier_not_found: [],
  not_found: [],
  model_not_found: [],
  image_model_not_found: [],
  video_model_not_found: [],
};

describe('retries', () => {
  test('knows exactly the codes and types of the error table', () => {
    const known = Object.entries(CODES_BY_TYPE).flatMap(([type, codes]) => codes.map((code) => [code, type]));
    const table = Object.entries(ERROR_TABLE).map(([code, row]) => [code, row.type]);
    expect(Object.fromEntries(known)).toEqual(Object.fromEntries(table));
  });

  test.each(Object.entries(WAITS))('after %s waits %p ms', async (code, expected) => {
    expect((await failAlways(code)).waits).toEqual(expected);
  });

  test('does not repeat a request whose error code is unknown', async () => {
    expect((await failAlways('code_of_a_newer_gateway')).waits).toEqual([]);
    expect((await failAlways('constructor')).waits).toEqual([]);
  });

  test('jitters each wait by a quarter and never waits longer than 30 s', async () => {
    const { retryWaitMs } = await import('./retry-rules.ts');
    const { error } = await failAlways('upstream_failed');
    const limits = { maxAttempts: 99, longWaits: false, isRepeatable: false };
    const wait = (attempts: number, random: number) =>
      retryWaitMs(error as never, attempts, limits, START_MS, random);
    expect([wait(1, 0), wait(1, 1), wait(3, 0), wait(3, 1)]).toEqual([750, 1_250, 3_000, 5_000]);
    const { backoffMs } = await import('./retry-rules.ts');
    expect([backoffMs(6, 0), backoffMs(6, 1), backoffMs(60, 1)]).toEqual([24_000, 30_000, 30_000]);
  });

  test('succeeds after failures and reports each wait', async () => {
    const retries: unknown[] = [];
    const reply = { id: 'x', choices: [] };
    const { client, sent } = fakeGateway([failed('upstream_failed'), failed('internal_error'), ok(reply)]);
    const onRetry = ({ error, ...retry }: { error: { code: string } }) =>
      retries.push({ code: error.code, ...retry });
    expect(await client.chat.create(CHAT, { onRetry })).toEqual(reply);
    expect(retries).toEqual([
      { code: 'upstream_failed', attempts: 1, waitMs: 1_000 },
      { code: 'internal_error', attempts: 2, waitMs: 2_000 },
    ]);
    expect(sent.map(({ body }) => body)).toEqual([CHAT, CHAT, CHAT]);
  });

  test.each([
    ['7', [8_000 - 500, 7_500, 7_500, 8_000]],
    ['60', [60_500, 60_500, 60_500, 60_500]],
    ['61', []],
    [new Date(START_MS + 30_000).toUTCString(), [30_500, 1_000 * 2, 4_000, 8_000]],
    ['soon', [1_000, 2_000, 4_000, 8_000]],
  ])('honors a Retry-After of %s', async (retryAfter, expected) => {
    const { waits } = await failAlways('rpm_rate_limited', {}, { 'retry-after': retryAfter });
    expect(waits).toEqual(expected);
  });

  test.each(['upstream_failed', 'image_generation_failed', 'tpm_rate_limited'])(
    'does not repeat %s with x-should-retry: false',
    async (code) => {
      const { waits, error } = await failAlways(code, {}, { 'x-should-retry': 'false' });
      expect(waits).toEqual([]);
      expect(error).toMatchObject({ shouldRetry: false });
    },
  );

  test('makes no more attempts than the caller wants', async () => {
    expect((await failAlways('upstream_failed', { maxAttempts: 2 })).waits).toEqual([1_000]);
    expect((await failAlways('upstream_failed', { maxAttempts: 1 })).waits).toEqual([]);
  });

  test('does not wait beyond the deadline', async () => {
    expect((await failAlways('upstream_failed', { deadlineMs: 3_500 })).waits).toEqual([1_000, 2_000]);
    expect((await failAlways('upstream_failed', { deadlineMs: 3_000 })).waits).toEqual([1_000]);
  });
});

describe('long waits', () => {
  const longWaits = { longWaits: true, deadlineMs: 3_600_000 };

  test('after upstream_unavailable are 2 to 5 minutes, once, although the gateway says x-should-retry: false', async () => {
    const { waits } = await failAlways('upstream_unavailable', longWaits, { 'x-should-retry': 'false' });
    expect(waits).toEqual([210_000]);
  });

  test.each(['key_daily_limit', 'key_monthly_limit', 'account_daily_limit'])(
    'after %s last until resets_at, if the deadline allows',
    async (code) => {
      const resets_at = '2026-02-01T00:00:00.000Z';
      const cap = { limit: 5, used: 4.99, resets_at };
      const { waits, error } = await failAlways(code, longWaits, {}, cap);
      expect(waits).toEqual([10 * 60_000 + 500]);
      expect(error).toMatchObject({ limit: 5, used: 4.99, resetsAt: new Date(resets_at) });
      expect((await failAlways(code, { ...longWaits, deadlineMs: 60_000 }, {}, cap)).waits).toEqual([]);
      expect((await failAlways(code, longWaits)).waits).toEqual([]);
    },
  );
});

describe('fallback models', () => {
  test('are those of other providers, tried at once when the provider is unavailable', async () => {
    const { client, sent, waits } = fakeGateway([
      failed('upstream_unavailable'),
      failed('upstream_failed'),
      failed('upstream_unavailable'),
      ok({}),
    ]);
    await client.messages.create(
      { ...CHAT, max_tokens: 9 },
      { fallbackModels: ['a/y', 'b/x', 'b/y', 'c/x'] },
    );
    expect(sent.map(({ body }) => body)).toEqual(
      ['a/x', 'b/x', 'b/x', 'c/x'].map((model) => ({ ...CHAT, max_tokens: 9, model })),
    );
    expect(waits).toEqual([1_000]);
  });
});

describe('idempotency keys', () => {
  const keys = (sent: readonly { headers: Headers }[]) =>
    sent.map(({ headers }) => headers.get('idempotency-key'));

  test('are random per call and the same for its attempts', async () => {
    const { client, sent } = fakeGateway([failed('image_generation_failed'), ok({}), ok({})]);
    await client.images.generate(IMAGE);
    await client.images.generate(IMAGE);
    const [first, second, other] = keys(sent);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  test('are the caller’s, or none, and never those of chat', async () => {
    const { client, sent } = fakeGateway([ok({})]);
    await client.images.generate(IMAGE, { idempotencyKey: 'order 7' });
    await client.videos.create(IMAGE, { idempotencyKey: null });
    await client.chat.create(CHAT, { idempotencyKey: 'order 7' });
    expect(keys(sent)).toEqual(['order 7', null, null]);
    await expect(client.images.generate(IMAGE, { idempotencyKey: 'é' })).rejects.toThrow(RangeError);
    await expect(client.images.generate(IMAGE, { idempotencyKey: '' })).rejects.toThrow(RangeError);
  });

  test('image_generation_timeout names the key, and is not repeated without a confirmation', async () => {
    const { client, sent } = fakeGateway([failed('image_generation_timeout', 504)]);
    const error = await client.images.generate(IMAGE).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'image_generation_timeout', idempotencyKey: keys(sent)[0] });
    await expect(client.images.generate(IMAGE, { idempotencyKey: null })).rejects.toMatchObject({
      idempotencyKey: 'req-failed',
    });
    await expect(
      client.images.generate(IMAGE, { confirmNotFinished: async () => false }),
    ).rejects.toMatchObject({ code: 'image_generation_timeout' });
    expect(sent).toHaveLength(3);
  });

  test('are new after a confirmation that nothing was generated; three attempts are made', async () => {
    const { client, sent, waits } = fakeGateway([failed('image_generation_timeout', 504)]);
    const asked: unknown[] = [];
    const confirmNotFinished = ({ idempotencyKey }: { idempotencyKey: string | undefined }) =>
      asked.push(idempotencyKey) > 0;
    await expect(
      client.images.generate(IMAGE, { idempotencyKey: 'order 7', confirmNotFinished }),
    ).rejects.toMatchObject({ attempts: 3 });
    expect(new Set(keys(sent)).size).toBe(3);
    expect(asked).toEqual(keys(sent).slice(0, 2));
    expect(waits).toEqual([1_000, 2_000]);
  });
});
