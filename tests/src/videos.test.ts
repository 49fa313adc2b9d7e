import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type HttpAnswer, postJson, sendRequest } from './support/http';
import { nano, readLedger } from './support/ledger';
import { type Customer, type System, startSystem } from './support/system';
import { withConcurrency } from './support/with-concurrency';

const HEAVY = process.env.TEST_HEAVY !== undefined;
const TASKS = HEAVY ? 500 : 40;
const LANES = 16;
const INTERVAL_MS = 500;
const BALANCE_USD = 2_000;
/** Allows for the leases after which another instance takes over bills and polls. */
const RECOVERED_WITHIN_MS = 30_000;

interface Way {
  readonly model: string;
  readonly provider: string;
  readonly seconds: number;
  readonly perSecondNano: bigint;
  readonly fields: object;
}

/** The cheapest video of each provider. */
const WAYS: readonly Way[] = [
  {
    model: 'minimax/minimax-h3',
    provider: 'minimax',
    seconds: 4,
    perSecondNano: 80_000_000n,
    fields: { duration: 4, tier: '768P' },
  },
  {
    model: 'kling/kling-v3',
    provider: 'kling',
    seconds: 3,
    perSecondNano: 112_000_000n,
    fields: { duration: 3, tier: 'pro', aspect_ratio: '9:16' },
  },
  {
    model: 'alibaba/wan2.6-t2v',
    provider: 'alibaba',
    seconds: 2,
    perSecondNano: 100_000_000n,
    fields: { duration: 2, resolution: '720P' },
  },
  {
    model: 'google/veo-3.1',
    provider: 'google',
    seconds: 4,
    perSecondNano: 400_000_000n,
    fields: { duration: 4 },
  },
];

let system: System;
let database: pg.Client;
beforeAll(async () => {
  system = await startSystem({
    instances: { media: 2 },
    settings: {
      media: {
        VIDEO_POLL_INTERVAL_MS: `${INTERVAL_MS}`,
        VIDEO_POLL_TIMEOUT_MS: '2000',
        INSTANCE_LEASE_MS: '2000',
      },
    },
  });
  database = new pg.Client({ connectionString: system.stack.engines.databaseUrl });
  await database.connect();
}, 60_000);
afterAll(async () => {
  await database?.end();
  await system?.stop();
}, 30_000);

const sim = (directive: object) => `[[sim ${JSON.stringify(directive)}]]`;
const idOf = ({ headers }: HttpAnswer) => String(headers['x-request-id']);

function post({ apiKey }: Customer, provider: string, action: string, body: object): Promise<HttpAnswer> {
  return postJson(`${system.stack.apiUrl}/v1/videos/${provider}/${action}`, body, apiKey);
}

function create(customer: Customer, directive: object, way?: Way): Promise<HttpAnswer> {
  const { model, provider, fields } = way ?? { model: 'sim/video', provider: 'sim', fields: {} };
  return post(customer, provider, 'create', { model, prompt: sim(directive), ...fields });
}

async function finished(customer: Customer, provider: string, task_id: string): Promise<HttpAnswer> {
  for (;;) {
    const answer = await post(customer, provider, 'status', { task_id });
    if (answer.status !== 200 || !['queued', 'running'].includes(answer.json.status)) return answer;
    await sleep(50);
  }
}

interface TaskEnd {
  readonly at: string;
  readonly request_id: string;
  readonly finished: boolean;
  readonly media: { readonly seconds: number; readonly task_id: string };
}

/** Returns the ends of tasks in the simulator's meter, by the request that submitted each. */
async function meteredEnds(): Promise<Map<string, TaskEnd[]>> {
  const url = `${system.stack.simulatorUrl}/meter?limit=200000`;
  const { entries } = (await (await fetch(url)).json()) as { entries: (TaskEnd & { kind: string })[] };
  const ends = new Map<string, TaskEnd[]>();
  for (const entry of entries) {
    if (entry.kind === 'task') ends.set(entry.request_id, [...(ends.get(entry.request_id) ?? []), entry]);
  }
  return ends;
}

async function nothingHeld({ token }: Customer): Promise<void> {
  const held = async () => (await system.dashboard.balance(token)).held;
  await until(async () => (await held()) === 0, RECOVERED_WITHIN_MS);
}

describe('video tasks of four providers while each of two media instances is killed', () => {
  interface Order {
    readonly way: Way;
    readonly fails: boolean;
    readonly answer: HttpAnswer | undefined;
  }

  async function orderAll(customer: Customer): Promise<Order[]> {
    const orders: Order[] = [];
    const kills: Promise<void>[] = [];
    await withConcurrency(LANES, Array.from({ length: TASKS }).keys(), async (index) => {
      if (index === Math.floor(TASKS / 3)) kills.push(system.stack.kill('media', 0));
      if (index === Math.floor((2 * TASKS) / 3)) {
        await Promise.all(kills);
        await system.stack.ready();
        kills.push(system.stack.kill('media', 1));
      }
      const way = WAYS[index % WAYS.length]!;
      const fails = index % 7 === 3;
      // Keeps some orders in flight to their provider when an instance is killed.
      const delay_ms = (index % 4) * 100;
      const task_seconds = 1 + (index % 5) * 0.5;
      const directive = { delay_ms, task_seconds, ...(fails && { task_status: 'failed' }) };
      const answer = await create(customer, directive, way).catch(() => undefined);
      orders.push({ way, fails, answer });
    });
    await Promise.all(kills);
    return orders;
  }

  test(
    'each task ends once and is charged once for what the simulator metered; no hold is left',
    async () => {
      const customer = await system.provision({ balanceUsd: BALANCE_USD });
      const orders = await orderAll(customer);
      await system.stack.ready();
      await nothingHeld(customer);
      const { balanceNano, charges } = await readLedger(system, customer);
      const ends = await meteredEnds();
      const ordered = orders.filter(({ answer }) => answer?.status === 200);
      expect(ordered.length).toBeGreaterThan(TASKS / 2);
      for (const { way, fails, answer } of ordered) {
        const requestId = idOf(answer!);
        expect(ends.get(requestId)).toHaveLength(1);
        const metered = BigInt(ends.get(requestId)![0]!.media.seconds) * way.perSecondNano;
        expect(metered).toBe(fails ? 0n : BigInt(way.seconds) * way.perSecondNano);
        expect([requestId, charges.get(requestId) ?? 0n]).toEqual([requestId, metered]);
        const { json } = await post(customer, way.provider, 'status', { task_id: answer!.json.task_id });
        expect(json.status).toBe(fails ? 'failed' : 'completed');
      }
      // Charges of orders whose response was lost.
      const answered = new Set(ordered.map(({ answer }) => idOf(answer!)));
      const others = [...charges.keys()].filter((requestId) => !answered.has(requestId));
      for (const requestId of others) expect(ends.get(requestId)).toHaveLength(1);
      expect(others.length).toBeLessThanOrEqual(TASKS - ordered.length);
      const { rows } = await database.query(
        `SELECT request_id::text FROM billing.usage_records WHERE outcome = 'lost' AND account_id = $1`,
        [customer.id],
      );
      for (const { request_id } of rows)
        expect([request_id, charges.has(request_id), answered.has(request_id)]).toEqual([
          request_id,
          false,
          false,
        ]);
      const charged = [...charges.values()].reduce((sum, charge) => sum + charge, 0n);
      expect(balanceNano).toBe(nano(BALANCE_USD) - charged);
      for (const { answer } of orders.filter((each) => each.answer && each.answer.status !== 200)) {
        expect([answer!.status, answer!.json.error.code]).toEqual([500, 'internal_error']);
      }
    },
    HEAVY ? 300_000 : 90_000,
  );

  test('no open task, bill or duplicate record is left', async () => {
    const open = await database.query('SELECT 1 FROM media.tasks WHERE ended_at IS NULL');
    expect(open.rowCount).toBe(0);
    const bills = async () => (await database.query('SELECT 1 FROM media.bills')).rowCount;
    await until(async () => (await bills()) === 0);
    const { rows } = await database.query(
      `SELECT request_id FROM billing.usage_records WHERE endpoint LIKE '/v1/videos/%'
       GROUP BY request_id HAVING count(*) > 1`,
    );
    expect(rows).toEqual([]);
    await until(async () => (await system.drift()) === 0);
  });
});

test('a task that no client polls is settled within one interval of its end', async () => {
  /** Returns the time from the task's end at its provider to its end here. */
  async function lateMs(): Promise<number> {
    const customer = await system.provision();
    const answer = await create(customer, { task_seconds: 1 });
    await nothingHeld(customer);
    expect([...(await readLedger(system, customer)).charges]).toEqual([[idOf(answer), 250_000_000n]]);
    const [end] = (await meteredEnds()).get(idOf(answer)) ?? [];
    const text = 'SELECT ended_at FROM media.tasks WHERE id = $1';
    const { rows } = await database.query(text, [answer.json.task_id]);
    return rows[0].ended_at.getTime() - Date.parse(`${end?.at}`);
  }
  // Measured repeatedly, because the machine may be busy.
  const measured: number[] = [];
  while (measured.length < 5 && !measured.some((ms) => ms < INTERVAL_MS + 100)) measured.push(await lateMs());
  expect(Math.min(...measured)).toBeLessThan(INTERVAL_MS + 100);
});

/** Checks that a provider's result URL expires on time and that the next one works. */
async function expectLinksExpire(way: Way): Promise<void> {
  const customer = await system.provision();
  const { json } = await create(customer, { task_seconds: 0, url_seconds: 3 }, way);
  const ended = await finished(customer, way.provider, json.task_id);
  expect(ended.json).toMatchObject({ status: 'completed', duration: way.seconds });
  const result = async () => {
    const answer = await post(customer, way.provider, 'result', { task_id: json.task_id });
    const { expires_at } = answer.json.videos[0];
    expect(Date.parse(expires_at)).not.toBeNaN();
    expect(answer.json).toEqual({
      task_id: json.task_id,
      status: 'completed',
      videos: [{ url: expect.any(String), duration: way.seconds, expires_at }],
    });
    return new URL(answer.json.videos[0].url);
  };
  const first = await result();
  const file = await fetch(first);
  const bytes = Buffer.from(await file.arrayBuffer());
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'video/mp4']);
  expect(bytes.toString('latin1', 4, 8)).toBe('ftyp');
  expect(Number(file.headers.get('content-length'))).toBe(bytes.length);
  if (first.origin === system.stack.apiUrl) return;
  await until(async () => (await fetch(first)).status === 403);
  const again = await fetch(await result());
  expect([again.status, Buffer.from(await again.arrayBuffer())]).toEqual([200, bytes]);
}

test('result URLs of each provider expire, and the next result has new ones', async () => {
  await Promise.all(WAYS.map(expectLinksExpire));
});

test("Veo's file is proxied by the gateway, and its URL does not contain our credential", async () => {
  const customer = await system.provision();
  const veo = WAYS[3]!;
  const { json } = await create(customer, { task_seconds: 0 }, veo);
  await finished(customer, 'google', json.task_id);
  const answer = await post(customer, 'google', 'result', { task_id: json.task_id });
  const [{ url, expires_at }] = answer.json.videos;
  expect(url.startsWith(`${system.stack.apiUrl}/v1/videos/files/task_`)).toBe(true);
  expect(answer.text).not.toMatch(/simulated|key=|goog/);
  expect(Date.parse(expires_at)).toBeGreaterThan(Date.now() + 60_000);
  const changed = url.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A'));
  expect((await sendRequest(`${url.slice(0, -10)}xxxxxxxxxx`, 'GET')).status).toBe(404);
  expect((await sendRequest(changed.slice(0, -2), 'GET')).status).toBe(404);
});

describe('reference images', () => {
  const PNG = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const sha256 = createHash('sha256').update(PNG).digest('hex');
  const I2V = { model: 'alibaba/wan2.6-i2v', provider: 'alibaba', fields: { duration: 2 } };
  const TAKERS = [WAYS[0]!, WAYS[3]!, I2V, { model: 'sim/video', provider: 'sim', fields: {} }];

  async function uploadsOf(answer: HttpAnswer) {
    if (answer.status !== 200) throw new Error(answer.text);
    const [submit] = (await system.meter({ requestId: idOf(answer) })).entries;
    const { media } = submit as unknown as { media: { uploads: { sha256: string }[] } };
    return media.uploads.map((upload) => upload.sha256);
  }

  test.each(TAKERS)(
    'reach $provider unchanged, from a form and from JSON',
    async ({ model, provider, fields }) => {
      const customer = await system.provision();
      const form = new FormData();
      // Files may come before the fields of the form.
      form.append('reference_images', new Blob([PNG]), 'a.png');
      for (const [name, value] of Object.entries({ model, prompt: 'x', duration: 5, ...fields })) {
        const isFree = name !== 'duration' || provider !== 'google';
        if (name !== 'aspect_ratio') form.append(name, isFree ? String(value) : '4');
      }
      const encoded = new Response(form);
      const body = Buffer.from(await encoded.arrayBuffer());
      const headers = {
        authorization: `Bearer ${customer.apiKey}`,
        'content-type': `${encoded.headers.get('content-type')}`,
        'content-length': body.length,
      };
      const url = `${system.stack.apiUrl}/v1/videos/${provider}/create`;
      expect(await uploadsOf(await sendRequest(url, 'POST', headers, body))).toEqual([sha256]);
      const reference_images = [`data:image/png;base64,${PNG.toString('base64')}`];
      const asked = { model, prompt: 'x', ...fields, reference_images };
      expect(await uploadsOf(await post(customer, provider, 'create', asked))).toEqual([sha256]);
    },
  );
});

describe('caps that are reached between an order and its end', () => {
  test('do not prevent polling, and the order costs no more than its hold', async () => {
    const customer = await system.provision({ key: { daily_limit: 0.5 } });
    const one = await create(customer, { task_seconds: 1 });
    const two = await create(customer, { task_seconds: 1, seconds: 60 });
    expect([one.status, two.status]).toEqual([200, 200]);
    const refused = await create(customer, {});
    expect([refused.status, refused.json.error]).toMatchObject([
      429,
      { code: 'key_daily_limit', limit: 0.5, used: 0.5 },
    ]);
    const status = await finished(customer, 'sim', one.json.task_id);
    expect(status.json).toMatchObject({ status: 'completed', duration: 5 });
    await nothingHeld(customer);
    const { charges } = await readLedger(system, customer);
    expect(charges).toEqual(
      new Map([
        [idOf(one), 250_000_000n],
        [idOf(two), 250_000_000n],
      ]),
    );
  });

  test('on one request refuse polls of a video that cost more, which is charged at its hold', async () => {
    const customer = await system.provision({ key: { request_cost_limit: 1 } });
    const answer = await create(customer, { task_seconds: 0, seconds: 60 });
    const refused = await finished(customer, 'sim', answer.json.task_id);
    expect([refused.status, refused.json.error]).toMatchObject([
      402,
      { code: 'request_cost_limit', limit: 1, used: 3 },
    ]);
    await nothingHeld(customer);
    expect([...(await readLedger(system, customer)).charges]).toEqual([[idOf(answer), 250_000_000n]]);
  });
});

test('a task whose response was lost is found in lists and logs, in progress and ended', async () => {
  const customer = await system.provision();
  const { apiUrl, dashboardUrl } = system.stack;
  const get = async (url: string, token: string) =>
    (await sendRequest(url, 'GET', { authorization: `Bearer ${token}` })).json;
  const listed = (query = '') => get(`${apiUrl}/v1/videos${query}`, customer.apiKey);
  const logged = (what: string) => get(`${dashboardUrl}/api/v1/${what}`, customer.token);

  const answer = await create(customer, { task_seconds: 2 });
  const [id, { task_id }] = [idOf(answer), answer.json];
  const running = { task_id, model: 'sim/video', cost: null, request_id: id };
  expect(await listed()).toMatchObject({ object: 'list', data: [running], has_more: false });
  expect((await listed(`?request_id=${id}`)).data).toMatchObject([running]);
  const inProgress = { id, task_id, in_progress: true, status: null, cost: 0, held: 0.25 };
  expect((await logged('requests')).data).toMatchObject([inProgress]);
  expect(await logged(`requests/${id}`)).toMatchObject({ ...inProgress, endpoint: '/v1/videos/sim/create' });
  expect((await logged('requests?status=in_progress')).data).toHaveLength(1);

  await nothingHeld(customer);
  const ended = { id, task_id, in_progress: false, status: 200, cost: 0.25, held: 0 };
  expect((await logged('requests')).data).toMatchObject([ended]);
  expect((await logged('requests?status=in_progress')).data).toEqual([]);
  expect((await listed()).data).toMatchObject([{ ...running, status: 'completed', cost: 0.25 }]);
  const entries = (await logged('billing/ledger')).data as { kind: string; task_id: string | null }[];
  expect(entries.map(({ kind, task_id }) => [kind, task_id])).toEqual([
    ['charge', task_id],
    ['topup', null],
  ]);
});

test('repeating an order with its Idempotency-Key returns the same task on any instance', async () => {
  const customer = await system.provision();
  const url = `${system.stack.apiUrl}/v1/videos/sim/create`;
  const send = (prompt: string) => {
    const body = Buffer.from(JSON.stringify({ model: 'sim/video', prompt }));
    const headers = {
      authorization: `Bearer ${customer.apiKey}`,
      'content-type': 'application/json',
      'content-length': body.length,
      'idempotency-key': 'the-same',
    };
    return sendRequest(url, 'POST', headers, body);
  };
  const answers = await Promise.all(Array.from({ length: 5 }, () => send('a cat')));
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
  expect(new Set(answers.map(({ json }) => json.task_id)).size).toBe(1);
  expect((await send('a dog')).json.error.code).toBe('invalid_request');
  await finished(customer, 'sim', answers[0]!.json.task_id);
  await nothingHeld(customer);
  expect([...(await readLedger(system, customer)).charges.values()]).toEqual([250_000_000n]);
});
