import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Clock, GatewayClient, isGatewayError, type Retry } from '@gateway/client';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setAccountLimit } from '../conformance/money';
import { nano, readLedger } from '../support/ledger';
import { png } from '../support/pictures';
import type { Customer, System } from '../support/system';

const run = promisify(execFile);
const ROOT = join(__dirname, '../../..');
/** Long enough for polls of videos to see changes; other waits cost no time. */
const SHORT_MS = 20;
const UNAVAILABLE_MS = 210_000;
/** Beyond the end of any day. */
const LONG_MS = 25 * 3_600_000;

const sim = (directive: object) => `[[sim ${JSON.stringify(directive)}]]`;
const chatOf = (content: string, model = 'sim/chat') => ({ model, messages: [{ role: 'user', content }] });
const imageOf = (directive: object) => ({ model: 'sim/image', prompt: `A cat. ${sim(directive)}` });
const videoOf = (directive: object) => ({ model: 'sim/video', prompt: `A cat. ${sim(directive)}` });

/** @param imageTimeoutMs the gateway's IMAGE_TIMEOUT_MS */
export function testGatewayClient(gateway: () => System, imageTimeoutMs: number): void {
  let system: System;
  let customer: Customer;

  beforeAll(async () => {
    system = gateway();
    customer = await system.provision({ balanceUsd: 10 });
  }, 60_000);

  /**
   * A client whose waits are short, with the waits that it asked for.
   * @param healthy the directive of all attempts but the first, in place of that of the prompt
   * @param whileWaiting what happens during a wait
   */
  function connect(
    { apiKey }: Customer = customer,
    { healthy, whileWaiting }: { healthy?: object; whileWaiting?: () => Promise<void> } = {},
  ) {
    const waits: number[] = [];
    let passedMs = 0;
    const clock: Clock = {
      now: () => Date.now() + passedMs,
      random: () => 0.5,
      async sleep(ms) {
        waits.push(ms);
        passedMs += ms;
        await (whileWaiting ? whileWaiting() : sleep(SHORT_MS));
      },
    };
    const healing = async (url: string, init: RequestInit) =>
      fetch(url, {
        ...init,
        ...(waits.length > 0 && {
          body: `${init.body}`.replace(/\[\[sim .*?\]\]/, JSON.stringify(sim(healthy!)).slice(1, -1)),
        }),
      });
    const client = new GatewayClient({
      ...{ baseUrl: system.stack.apiUrl, apiKey, clock },
      ...(healthy && { fetch: healing as typeof fetch }),
    });
    return { client, waits };
  }

  type Client = GatewayClient;
  const thrownBy = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );

  async function chargesOf(account = customer): Promise<bigint[]> {
    await system.settled(account);
    return [...(await readLedger(system, account)).charges.values()];
  }

  const BACKOFF = [1_000, 2_000, 4_000, 8_000];

  test.each<
    [code: string, when: string, waits: readonly number[], call: (client: Client) => Promise<unknown>]
  >([
    [
      'upstream_failed',
      'answers 500',
      BACKOFF.slice(0, 3),
      (client) => client.chat.create(chatOf(sim({ status: 500 }))),
    ],
    [
      'upstream_failed',
      'answers 500',
      BACKOFF.slice(0, 3),
      (client) => client.messages.create({ ...chatOf(sim({ status: 500 })), max_tokens: 9 }),
    ],
    [
      'rate_limited',
      'answers 429',
      [7_500, 7_500, 7_500, 8_000],
      (client) => client.chat.create(chatOf(sim({ status: 429, retry_after: 7 }))),
    ],
    [
      'upstream_unavailable',
      'is unreachable',
      [],
      (client) => client.chat.create(chatOf('hi', 'sim/unreachable')),
    ],
    [
      'upstream_unavailable',
      'is unreachable, with long waits',
      [UNAVAILABLE_MS],
      (client) => client.chat.create(chatOf('hi', 'sim/unreachable'), { longWaits: true }),
    ],
    [
      'image_generation_failed',
      'answers 500',
      BACKOFF.slice(0, 2),
      (client) => client.images.generate(imageOf({ status: 500 })),
    ],
    [
      'image_generation_failed',
      'refuses by policy',
      [],
      (client) => client.images.generate(imageOf({ policy: true })),
    ],
    [
      'video_generation_failed',
      'answers 500',
      BACKOFF.slice(0, 2),
      (client) => client.videos.generate(videoOf({ status: 500 })),
    ],
    [
      'video_task_id_missing',
      'names no task',
      BACKOFF.slice(0, 2),
      (client) => client.videos.generate(videoOf({ omit_task_id: true })),
    ],
    [
      'upstream_failed',
      'resets the submit of a video, whose outcome is unknown',
      [],
      (client) => client.videos.generate(videoOf({ reset: true })),
    ],
  ])('%s: the provider %s; waits %p ms', async (code, _when, waits, call) => {
    const charged = (await chargesOf()).length;
    const connected = connect();
    const error = await thrownBy(call(connected.client));
    expect(error).toMatchObject({ name: 'GatewayError', code, attempts: waits.length + 1 });
    expect(error).toMatchObject({ requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(connected.waits).toEqual(waits);
    expect(await chargesOf()).toHaveLength(charged);
  });

  test.each<[code: string, status: number, more: object, call: (client: Client) => Promise<unknown>]>([
    ['invalid_api_key', 401, {}, (client) => client.chat.create(chatOf('hi'), { apiKey: 'sk-gw-none' })],
    [
      'invalid_request',
      400,
      { detail: expect.any(String) },
      (client) => client.chat.create({ ...chatOf('hi'), temperature: 3 }),
    ],
    ['invalid_model', 400, { param: 'model' }, (client) => client.chat.create(chatOf('hi', 'gpt'))],
    [
      'missing_parameter',
      400,
      { param: 'messages' },
      (client) => client.chat.create({ model: 'sim/chat', messages: [] }),
    ],
    [
      'video_tier_not_found',
      400,
      { param: 'tier' },
      (client) => client.videos.create({ ...videoOf({}), tier: 'PRO' }),
    ],
    ['not_found', 404, {}, (client) => client.get('/v1/none')],
    ['not_found', 404, {}, (client) => client.videos.wait({ task_id: 'task_none', model: 'sim/video' })],
    ['model_not_found', 404, {}, (client) => client.chat.create(chatOf('hi', 'sim/none'))],
    [
      'image_model_not_found',
      404,
      { param: 'model' },
      (client) => client.images.generate({ ...imageOf({}), model: 'sim/chat' }),
    ],
    [
      'video_model_not_found',
      404,
      { param: 'model' },
      (client) => client.videos.create({ ...videoOf({}), model: 'sim/chat' }),
    ],
  ])('%s is not sent again', async (code, status, more, call) => {
    const { client, waits } = connect();
    expect(await thrownBy(call(client))).toMatchObject({ code, status, attempts: 1, ...more });
    expect(waits).toEqual([]);
  });

  describe('the caller’s limits', () => {
    test('expired_api_key and insufficient_balance are not sent again', async () => {
      const expired = await system.provision();
      await system.dashboard.call('POST', `keys/${expired.keyId}/rotate`, expired.token, {
        grace_seconds: 0,
      });
      const poor = await system.provision({ balanceUsd: 0 });
      for (const [account, code] of [
        [expired, 'expired_api_key'],
        [poor, 'insufficient_balance'],
      ] as const) {
        const { client, waits } = connect(account);
        expect(await thrownBy(client.chat.create(chatOf('hi')))).toMatchObject({ code, attempts: 1 });
        expect(waits).toEqual([]);
      }
    });

    test.each(['rpm', 'tpm'])('%s_rate_limited waits as long as Retry-After says', async (limit) => {
      const key = limit === 'rpm' ? { rpm_limit: 1 } : { tpm_limit: 300 };
      const { client, waits } = connect(await system.provision({ key }));
      const call = () => client.chat.create({ ...chatOf(`Hello. ${'pad '.repeat(150)}`), max_tokens: 20 });
      await call();
      const error = await thrownBy(call());
      expect(error).toMatchObject({ code: `${limit}_rate_limited`, attempts: 5 });
      expect((error as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(0);
      expect(waits).toHaveLength(4);
      // Far above the backoff's first wait.
      expect(waits[0]).toBeGreaterThan(8_000);
    });

    test.each<[string, (limit: number) => Promise<Customer>]>([
      ['key_daily_limit', (daily_limit) => system.provision({ key: { daily_limit } })],
      ['key_monthly_limit', (monthly_limit) => system.provision({ key: { monthly_limit } })],
      [
        'account_daily_limit',
        async (limit) => {
          const account = await system.provision();
          await setAccountLimit({ system }, account, limit);
          return account;
        },
      ],
    ])('%s is sent again after resets_at only', async (code, provision) => {
      const account = await provision(0.000_001);
      const { client, waits } = connect(account);
      const error = await thrownBy(client.chat.create(chatOf('hi')));
      expect(error).toMatchObject({
        code,
        attempts: 1,
        limit: 0.000_001,
        used: 0,
        resetsAt: expect.any(Date),
      });
      const { resetsAt } = error as { resetsAt: Date };
      const leftMs = resetsAt.getTime() - Date.now();
      const retries: Retry[] = [];
      const options = {
        longWaits: true,
        deadlineMs: LONG_MS,
        onRetry: (retry: Retry) => retries.push(retry),
      };
      expect(await thrownBy(client.chat.create(chatOf('hi'), options))).toMatchObject({ code });
      // The end of the month may be beyond the deadline.
      expect(waits).toHaveLength(leftMs < LONG_MS ? 1 : 0);
      for (const { waitMs } of retries) expect(Math.abs(waitMs - leftMs)).toBeLessThan(60_000);
    });

    test('request_cost_limit is not sent again', async () => {
      const { client, waits } = connect(await system.provision({ key: { request_cost_limit: 0.01 } }));
      const error = await thrownBy(client.videos.generate({ ...videoOf({}), duration: 5, tier: 'std' }));
      expect(error).toMatchObject({ code: 'request_cost_limit', limit: 0.01, used: 0.25, attempts: 1 });
      expect(waits).toEqual([]);
    });
  });

  test('a call succeeds when the provider recovers, and is charged once', async () => {
    const before = (await chargesOf()).length;
    const { client, waits } = connect(customer, { healthy: { text: 'Here again.' } });
    const reply = await client.chat.create(chatOf(sim({ status: 500 })));
    expect(reply.choices[0]?.message.content).toBe('Here again.');
    expect(waits).toEqual([1_000]);
    expect(await chargesOf()).toHaveLength(before + 1);
  });

  test('internal_error: a call succeeds when the service is back', async () => {
    let restarted: Promise<void> | undefined;
    const whileWaiting = () => {
      restarted ??= system.stack.restart('media').then(() => system.stack.ready());
      return restarted;
    };
    const { client, waits } = connect(customer, { whileWaiting });
    await system.stack.kill('media');
    const codes = new Set<string>();
    const onRetry = ({ error }: Retry) => codes.add(error.code);
    expect((await client.images.generate(imageOf({}), { onRetry })).data).toHaveLength(1);
    expect([...codes]).toEqual(['internal_error']);
    expect(waits).toEqual(BACKOFF.slice(0, waits.length));
  }, 60_000);

  test('another provider’s model answers when the provider is unavailable', async () => {
    const { client, waits } = connect();
    const fallbackModels = ['sim/chat', 'openai/gpt-5.4-mini'];
    const body = chatOf('hi', 'sim/unreachable');
    expect(await client.chat.create(body, { fallbackModels })).toMatchObject({
      model: 'openai/gpt-5.4-mini',
    });
    let model = '';
    for await (const chunk of client.chat.stream(body, { fallbackModels })) model = chunk.model;
    expect(model).toBe('openai/gpt-5.4-mini');
    expect(waits).toEqual([]);
  });

  describe('streams', () => {
    const readChat = async (client: Client, body: object, onRestart?: () => void) => {
      let text = '';
      const restart =
        onRestart &&
        (() => {
          text = '';
          onRestart();
        });
      for await (const { choices } of client.chat.stream(body as never, { onRestart: restart }))
        text += choices[0]?.delta.content ?? '';
      return text;
    };

    test('have the whole text of chats and messages', async () => {
      const { client } = connect();
      expect(await readChat(client, chatOf(sim({ text: 'One two three.', chunks: 3 })))).toBe(
        'One two three.',
      );
      let text = '';
      const body = { ...chatOf(sim({ text: 'One two three.' })), max_tokens: 50 };
      for await (const { delta } of client.messages.stream(body)) text += delta?.text ?? '';
      expect(text).toBe('One two three.');
    });

    test('that break are sent again as a whole', async () => {
      const { client, waits } = connect(customer, { healthy: { text: 'The whole text.' } });
      const cut = chatOf(sim({ chunks: 20, drop_after_chunks: 5 }));
      const error = await thrownBy(readChat(client, cut));
      expect(error).toMatchObject({ code: 'upstream_failed', attempts: 1 });
      let restarts = 0;
      expect(await readChat(client, cut, () => restarts++)).toBe('The whole text.');
      expect([waits, restarts]).toEqual([[1_000], 1]);
    });

    test('can be left, and are charged for what was generated', async () => {
      const account = await system.provision();
      const { client } = connect(account);
      const slow = chatOf(sim({ chunks: 2_000, chunk_delay_ms: 5 }));
      let chunks = 0;
      for await (const _chunk of client.chat.stream(slow)) if (++chunks === 5) break;
      const [charge] = await chargesOf(account);
      expect(charge).toBeGreaterThan(0n);
      expect(charge).toBeLessThan(nano(0.002));
    });
  });

  describe('images', () => {
    test('whose outcome is unknown are not sent again; the key of the error returns them, charged once', async () => {
      const before = (await chargesOf()).length;
      const { client, waits } = connect();
      const slow = imageOf({ delay_ms: imageTimeoutMs + 1_000 });
      const error = await thrownBy(client.images.generate(slow));
      expect(error).toMatchObject({ code: 'image_generation_timeout', status: 504, attempts: 1 });
      expect(waits).toEqual([]);
      const { idempotencyKey } = error as { idempotencyKey: string };
      const { data } = await client.images.generate(slow, { idempotencyKey });
      expect(data[0]?.b64_json).toMatch(/^iVBOR/);
      expect(await chargesOf()).toHaveLength(before + 1);
    });

    test('are uploaded, edited, and repeated with the same key at no cost', async () => {
      const before = (await chargesOf()).length;
      const { client } = connect();
      const images = ['a', 'b'].map((seed) => new File([new Uint8Array(png(seed))], `${seed}.png`));
      for (const image of [images[0]!, images]) {
        const edit = { model: 'sim/image', prompt: 'A hat.', image };
        const options = { idempotencyKey: `edit of ${Array.isArray(image) ? 2 : 1} for ${customer.id}` };
        const { data } = await client.images.edit(edit, options);
        expect((await client.images.edit(edit, options)).data).toEqual(data);
      }
      expect(await chargesOf()).toHaveLength(before + 2);
    });
  });

  test('a file is uploaded and read', async () => {
    const { client } = connect();
    const file = new File(['{}\n'], 'calls.jsonl');
    const { id } = await client.files.upload({ file, purpose: 'user_data' });
    expect(await client.get(`/v1/files/${id}`)).toMatchObject({ bytes: 3, filename: 'calls.jsonl' });
    expect(await client.post(`/v1/files/${id}/delete`, {})).toMatchObject({ deleted: true });
  });

  describe('videos', () => {
    test('are created, polled and returned', async () => {
      const { client } = connect();
      const seen: string[] = [];
      const { videos } = await client.videos.generate(videoOf({ task_seconds: 0.5 }), {
        onTask: ({ task_id }) => seen.push(task_id),
        onStatus: ({ status }) => seen.push(status),
      });
      expect(videos[0]?.url).toMatch(/^http/);
      expect(seen[0]).toMatch(/^task_/);
      expect(seen.at(-1)).toBe('completed');
    });

    test('video_billing_error is polled on, and nothing is submitted again', async () => {
      const account = await system.provision();
      const statuses: string[] = [];
      const { client } = connect(account);
      const { videos } = await client.videos.generate(videoOf({ task_seconds: 0, seconds: 0 }), {
        onStatus: ({ status }) => statuses.push(status),
      });
      expect(videos).toHaveLength(1);
      expect((await client.get<{ data: unknown[] }>('/v1/videos')).data).toHaveLength(1);
      expect(await chargesOf(account)).toHaveLength(1);
    }, 60_000);

    test('request_cost_limit stops the polls', async () => {
      const { client } = connect(await system.provision({ key: { request_cost_limit: 1 } }));
      const error = await thrownBy(client.videos.generate(videoOf({ task_seconds: 0, seconds: 60 })));
      expect(error).toMatchObject({
        code: 'request_cost_limit',
        limit: 1,
        used: 3,
        task: { model: 'sim/video' },
      });
    });

    test('a failed task is an error with its task', async () => {
      const { client } = connect();
      const error = await thrownBy(
        client.videos.generate(videoOf({ task_seconds: 0, task_status: 'failed' })),
      );
      expect(isGatewayError(error, 'video_task_failed')).toBe(true);
      expect(error).toMatchObject({ task: { task_id: expect.stringMatching(/^task_/) } });
    });
  });

  describe('the built package', () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'gateway-client-'));
      cpSync(join(ROOT, 'examples/gateway-client'), folder, { recursive: true });
      mkdirSync(join(folder, 'node_modules/@gateway'), { recursive: true });
      symlinkSync(join(ROOT, 'packages/client'), join(folder, 'node_modules/@gateway/client'));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test('runs the example as an ES module, and loads as CommonJS', async () => {
      const env = { ...process.env, GATEWAY_URL: system.stack.apiUrl, GATEWAY_API_KEY: customer.apiKey };
      const { stdout } = await run(process.execPath, ['main.mjs'], { cwd: folder, env, timeout: 30_000 });
      expect(stdout).toMatch(/an image of \d+ bytes\na video of 5 s: http.*\n404 model_not_found\n$/);
      const load = `console.log(typeof require('@gateway/client').GatewayClient)`;
      expect((await run(process.execPath, ['-e', load], { cwd: folder })).stdout).toBe('function\n');
    }, 60_000);
  });
}
