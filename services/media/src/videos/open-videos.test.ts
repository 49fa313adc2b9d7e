import { once } from 'node:events';
import { GatewayError } from '@gateway/errors';
import { UpstreamError } from '@gateway/upstream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { MediaRefused } from '../domain/media-refused';
import type { Model } from '../domain/model';
import { RequestError } from '../providers/request-error';
import { ACCOUNT, MODEL, type VideoInstance, VideoWorld } from '../testing/video-world';

const INTERVAL_MS = 3_000;
const COST = { costNano: '250000000', videoMs: '5000' };
const VIDEOS = [{ url: 'https://cdn.test/1.mp4', durationSeconds: 5, expiresAtMs: 1_800_000_000_000 }];
const SETTLED = 'USAGE_OUTCOME_SETTLED';
const RELEASED = 'USAGE_OUTCOME_RELEASED';
const LOST = 'USAGE_OUTCOME_LOST';

let world: VideoWorld;
let media: VideoInstance;
beforeAll(async () => {
  world = await VideoWorld.start();
}, 60_000);
beforeEach(async () => {
  await world.clear();
  media = await world.instance();
});
afterAll(() => world?.stop(), 60_000);

/** Waits for the poll interval and polls every task. */
async function pollAll(by = media): Promise<void> {
  await world.pass(INTERVAL_MS);
  await by.videos.poller.runOnce();
}

const statusOf = async (task_id: string) => (await media.post('status', { task_id })).json;
const code = (expected: string, more: object = {}) => expect.objectContaining({ code: expected, ...more });
const target = (provider: string, priority: number): Model['targets'][number] => ({
  ...MODEL.targets[0]!,
  provider,
  priority,
});

describe('creating a video', () => {
  test('reserves the price, orders it once and returns a task id of the gateway', async () => {
    const { json, requestId } = await media.create({ duration: 5, tier: 'std' });
    expect(json).toEqual({
      task_id: expect.stringMatching(/^task_[0-9a-f-]{36}$/),
      status: 'queued',
      model: 'sim/video',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    // The hold makes the task known to the request log.
    const logged = { makesTask: true, taskId: json.task_id, endpoint: '/v1/videos/sim/create' };
    expect(world.reserved).toMatchObject([
      { ...logged, requestId, boundNano: '250000000', floorNano: '250000000', callerNamedMaximum: true },
    ]);
    expect(world.first.orders).toEqual([
      { upstreamModel: 'v-1', prompt: 'a cat', tier: 'std', seconds: 5, resolution: '720p', images: [] },
    ]);
    expect([world.ends, await world.bills()]).toEqual([[], ['dispatched']]);
    expect(await statusOf(json.task_id)).toEqual(json);
  });

  test('with a refused hold leaves no bill open', async () => {
    world.refusal = new GatewayError('insufficient_balance');
    await expect(media.create()).rejects.toEqual(code('insufficient_balance'));
    expect(world.first.orders).toEqual([]);
    // The bill is dropped in the background.
    while ((await world.bills()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test.each([
    ['a path of another provider', { model: 'sim/video' }, 'kling', 'video_model_not_found'],
    ['an unknown model', { model: 'sim/never' }, 'sim', 'model_not_found'],
    ['a model without provider', { model: 'video' }, 'sim', 'invalid_model'],
    ['an unknown tier', { tier: 'Std' }, 'sim', 'video_tier_not_found'],
    ['an unsupported duration', { duration: 7 }, 'sim', 'video_generation_failed'],
    ['a malformed duration', { duration: -1 }, 'sim', 'invalid_request'],
  ])('is refused before the hold with %s', async (_when, fields, provider, expected) => {
    const body = { model: 'sim/video', prompt: 'x', ...fields };
    await expect(media.post('create', body, ACCOUNT, provider)).rejects.toEqual(code(expected));
    expect([world.reserved, world.first.orders]).toEqual([[], []]);
  });

  test.each([
    ['disabled', { active: false }],
    ['not a video model', { outputModalities: ['text'] }],
    ['without the action', { workflow: ['status'] }],
  ])('with a model that is %s fails with video_model_not_found', async (_when, changed) => {
    world.models.set(MODEL.slug, { ...MODEL, ...changed });
    await expect(media.create()).rejects.toEqual(code('video_model_not_found'));
  });

  test("by an alias uses the path of the model's provider and records the slug", async () => {
    world.models.set('other/alias', MODEL);
    await media.create({ model: 'other/alias' });
    expect(world.reserved).toMatchObject([{ model: 'sim/video', bareModelName: false }]);
    await expect(
      media.post('create', { model: 'other/alias', prompt: 'x' }, ACCOUNT, 'other'),
    ).rejects.toEqual(code('video_model_not_found'));
    world.models.set('video', MODEL);
    await expect(media.create({ model: 'video' })).rejects.toEqual(code('invalid_model'));
  });

  test('with image URLs is rejected for a provider that cannot fetch them', async () => {
    Object.assign(world.first, { fetchesLinks: false });
    const reference_images = ['https://example.com/a.png'];
    await expect(media.create({ reference_images })).rejects.toEqual(
      code('video_generation_failed', { shouldRetry: false }),
    );
    expect(world.reserved).toEqual([]);
  });

  test.each<[string, unknown, string, string, boolean | undefined]>([
    ['refuses by policy', new MediaRefused('policy'), 'video_generation_failed', RELEASED, false],
    [
      'rejects the request',
      new UpstreamError({ kind: 'status', status: 400, message: 'bad' }),
      'video_generation_failed',
      RELEASED,
      false,
    ],
    [
      'answers 500',
      new UpstreamError({ kind: 'status', status: 500 }),
      'video_generation_failed',
      RELEASED,
      undefined,
    ],
    ['answers 429', new UpstreamError({ kind: 'status', status: 429 }), 'rate_limited', RELEASED, undefined],
    [
      'is unreachable',
      new UpstreamError({ kind: 'unreachable', cause: 0 }),
      'upstream_unavailable',
      RELEASED,
      false,
    ],
    [
      'resets the connection before anything is sent',
      new RequestError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }), false),
      'upstream_unavailable',
      RELEASED,
      false,
    ],
    [
      'resets the connection after the order was sent',
      new RequestError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }), true),
      'upstream_failed',
      LOST,
      false,
    ],
    ['does not respond', new UpstreamError({ kind: 'broken', cause: 0 }), 'upstream_failed', LOST, false],
    ['causes an internal error', new TypeError('x'), 'upstream_failed', LOST, false],
    ['returns no task id', { upstreamId: undefined }, 'video_task_id_missing', RELEASED, undefined],
  ])('calls a provider once that %s', async (_when, accepts, expected, outcome, shouldRetry) => {
    world.first.accepts = accepts as never;
    world.models.set(MODEL.slug, { ...MODEL, targets: [target('first', 0)] });
    const error = await media.create().catch((thrown: GatewayError) => thrown);
    expect(error).toEqual(code(expected));
    expect((error as GatewayError).shouldRetry).toBe(shouldRetry);
    expect(world.ends).toEqual([expect.objectContaining({ outcome, costNano: '0', errorCode: expected })]);
    expect(world.first.orders).toHaveLength(1);
    expect(await world.pool.query('SELECT 1 FROM media.tasks')).toMatchObject({ rowCount: 0 });
  });

  test('tries another target only if the first certainly did not accept the order', async () => {
    world.models.set(MODEL.slug, { ...MODEL, targets: [target('first', 0), target('second', 1)] });
    const second = world.providers.get('second')!;
    world.first.accepts = new UpstreamError({ kind: 'unreachable', cause: 0 });
    await media.create();
    expect([world.first.orders.length, second.orders.length]).toEqual([1, 1]);
    world.first.accepts = new UpstreamError({ kind: 'broken', cause: 0 });
    await expect(media.create()).rejects.toEqual(code('upstream_failed'));
    expect([world.first.orders.length, second.orders.length]).toEqual([2, 1]);
    world.first.accepts = new RequestError(new Error('reset in the handshake'), false);
    await media.create();
    expect([world.first.orders.length, second.orders.length]).toEqual([3, 2]);
  });
});

test('while the catalog is not loaded, models are internal_error rather than not found', async () => {
  world.hasCatalog = false;
  const starting = await world.instance();
  await expect(starting.create()).rejects.toEqual(code('internal_error'));
  expect(world.reserved).toEqual([]);
});

test('a client that disconnects before the order is sent gets the hold and the Idempotency-Key released', async () => {
  const left = await world.instance();
  left.leave.abort();
  await expect(left.create({}, 'key-1')).rejects.toThrow('client disconnected');
  expect([world.ends, world.first.orders]).toMatchObject([[{ outcome: RELEASED, status: 499 }], []]);
  expect((await media.create({}, 'key-1')).status).toBe(200);
});

test('memory for request bodies is limited in total and per account until their orders are accepted', async () => {
  const large = {
    model: 'sim/video',
    prompt: 'a cat',
    reference_images: [`data:image/png;base64,iVBORw0KGgo${'A'.repeat(400_001)}`],
  };
  world.first.accepts = () => new Promise(() => {});
  void media.post('create', large);
  while (world.first.orders.length === 0) await new Promise(setImmediate);
  await expect(media.post('create', large)).rejects.toEqual(code('rate_limited'));
  world.first.accepts = undefined;
  expect((await media.post('create', large, 'acct_2')).status).toBe(200);
  expect((await media.post('create', large, 'acct_2')).status).toBe(200);
  expect((await media.create()).status).toBe(200);
});

describe('with an Idempotency-Key', () => {
  test('concurrent and later repeats return the same task', async () => {
    const other = await world.instance();
    const [one, two] = await Promise.all([media.create({}, 'key-1'), other.create({}, 'key-1')]);
    const later = await media.create({}, 'key-1');
    expect([two.json, later.json]).toEqual([one.json, one.json]);
    expect([world.first.orders.length, await world.bills()]).toEqual([1, ['dispatched']]);
    await expect(media.create({ duration: 10 }, 'key-1')).rejects.toEqual(code('invalid_request'));
    await expect(media.create({}, ' ')).rejects.toEqual(code('invalid_request'));
    expect((await media.create({}, 'key-2')).json.task_id).not.toBe(one.json.task_id);
  });

  test('a call that failed without effect can be repeated', async () => {
    world.first.accepts = new UpstreamError({ kind: 'status', status: 500 });
    await expect(media.create({}, 'key-1')).rejects.toEqual(code('video_generation_failed'));
    world.refusal = new GatewayError('insufficient_balance');
    await expect(media.create({}, 'key-1')).rejects.toEqual(code('insufficient_balance'));
    world.refusal = undefined;
    world.first.accepts = undefined;
    expect((await media.create({}, 'key-1')).status).toBe(200);
  });

  test('a call with an unknown outcome is not repeated', async () => {
    world.first.accepts = new UpstreamError({ kind: 'broken', cause: 0 });
    const doubt = code('upstream_failed', { shouldRetry: false });
    await expect(media.create({}, 'key-1')).rejects.toEqual(doubt);
    world.first.accepts = undefined;
    await expect(media.create({}, 'key-1')).rejects.toEqual(doubt);
    expect(world.first.orders).toHaveLength(1);
  });

  test('a repeat returns the same response even after the model was removed or changed', async () => {
    const { json } = await media.create({}, 'key-1');
    world.models.set(MODEL.slug, { ...MODEL, active: false });
    expect((await media.create({}, 'key-1')).json).toEqual(json);
    world.models.delete(MODEL.slug);
    expect((await media.create({}, 'key-1')).json).toEqual(json);
    await expect(media.create({}, 'key-2')).rejects.toEqual(code('model_not_found'));
    world.models.set(MODEL.slug, MODEL);
    expect((await media.create({}, 'key-2')).status).toBe(200);
  });

  test('a task whose stored response is missing is found by its key', async () => {
    const { json } = await media.create({}, 'key-1');
    await world.pool.query(`UPDATE media.idempotency SET state = 'unknown', body = NULL`);
    expect((await media.create({}, 'key-1')).json).toEqual(json);
    expect(world.first.orders).toHaveLength(1);
  });
});

describe('when an instance dies during an order', () => {
  /** Ends an instance after its order has arrived and before the response. */
  async function dieAfterOrder(idempotencyKey?: string) {
    const dying = await world.instance();
    const other = await world.instance();
    world.first.accepts = () => new Promise(() => {});
    void dying.create({}, idempotencyKey);
    while (world.first.orders.length === 0) await new Promise(setImmediate);
    await world.adopt(dying, other);
    return other;
  }
  const SECONDS = { state: 'completed', seconds: 5, videos: VIDEOS } as const;

  test('a task that its provider can look up is kept, and a repeat of the call returns it', async () => {
    world.first.externalTaskId = (order, requestId) => `${order.upstreamModel}/${requestId}`;
    const other = await dieAfterOrder('key-1');
    expect([world.ends, await world.bills()]).toEqual([[], ['dispatched']]);
    const { json } = await other.create({}, 'key-1');
    expect(json).toMatchObject({ status: 'queued', model: 'sim/video' });
    expect((await other.list()).json.data).toMatchObject([{ id: json.task_id, status: 'queued' }]);
    expect(world.reserved[0]?.taskId).toBe(json.task_id);
    world.first.reports = SECONDS;
    await pollAll(other);
    const [{ requestId } = { requestId: '' }] = world.reserved;
    expect(world.first.polls).toEqual([{ upstreamId: `v-1/${requestId}`, upstreamModel: 'v-1' }]);
    expect(world.ends).toMatchObject([{ requestId, outcome: SETTLED, ...COST }]);
    expect(await statusOf(json.task_id)).toMatchObject({ status: 'completed' });
    expect(world.first.orders).toHaveLength(1);
  });

  test('an order that its provider does not know costs nothing', async () => {
    world.first.externalTaskId = (_order, requestId) => requestId;
    const other = await dieAfterOrder('key-1');
    world.first.reports = { state: 'unknown' };
    for (let polls = 0; polls < 200 && world.ends.length === 0; polls++) {
      await world.pass(5 * INTERVAL_MS);
      await other.videos.poller.runOnce();
    }
    expect(world.ends).toMatchObject([{ outcome: LOST, costNano: '0' }]);
    expect((await other.create({}, 'key-1')).json.status).toBe('expired');
    expect(world.first.orders).toHaveLength(1);
  });

  test.each([
    ['without an Idempotency-Key to repeat the call with', true, undefined],
    ['if its provider cannot look it up', false, 'key-1'],
  ])('no task is kept %s', async (_what, isGiven, key) => {
    if (isGiven) world.first.externalTaskId = (_order, requestId) => requestId;
    await dieAfterOrder(key);
    expect(world.ends).toMatchObject([{ outcome: LOST, costNano: '0' }]);
    expect(await world.pool.query('SELECT 1 FROM media.tasks')).toMatchObject({ rowCount: 0 });
  });
});

describe('the poller', () => {
  test('completes a task that no client polls, and bills it once', async () => {
    const { json, requestId } = await media.create();
    await media.videos.poller.runOnce();
    expect(world.first.polls).toEqual([]);
    await pollAll();
    expect(world.first.polls).toEqual([{ upstreamId: 'up-1', upstreamModel: 'v-1' }]);
    world.first.reports = { state: 'running' };
    await pollAll();
    expect(await statusOf(json.task_id)).toMatchObject({ status: 'running' });
    world.first.reports = { state: 'completed', seconds: 5, videos: VIDEOS };
    await pollAll();
    await pollAll();
    expect(world.first.polls).toHaveLength(3);
    expect(world.ends).toMatchObject([
      { requestId, outcome: SETTLED, ...COST, provider: 'first', usageSource: 'USAGE_SOURCE_PROVIDER' },
    ]);
    expect(world.ends[0]?.taskId).toBe(json.task_id);
    expect(await statusOf(json.task_id)).toMatchObject({
      status: 'completed',
      duration: 5,
      ended_at: expect.any(String),
    });
    expect(await world.bills()).toEqual(['ended']);
  });

  test.each([
    ['failed', { state: 'failed', detail: 'no' }, RELEASED],
    ['canceled', { state: 'canceled' }, RELEASED],
    ['expired', { state: 'expired' }, RELEASED],
  ] as const)('charges nothing for a task that is %s', async (status, report, outcome) => {
    const { json } = await media.create();
    world.first.reports = report;
    await pollAll();
    const taskId = json.task_id;
    expect(world.ends).toMatchObject([
      { outcome, costNano: '0', errorCode: 'video_generation_failed', taskId },
    ]);
    const detail = 'detail' in report ? { detail: 'no' } : {};
    expect(await statusOf(json.task_id)).toMatchObject({
      status,
      error: { code: 'video_generation_failed', ...detail },
    });
  });

  test('polls each task once across two instances', async () => {
    for (let i = 0; i < 10; i++) await media.create();
    const other = await world.instance();
    await world.pass(INTERVAL_MS);
    world.first.reports = { state: 'completed', videos: VIDEOS };
    await Promise.all([media.videos.poller.runOnce(), other.videos.poller.runOnce()]);
    expect(world.first.polls).toHaveLength(10);
    expect(new Set(world.ends.map(({ requestId }) => requestId)).size).toBe(10);
    expect(world.ends).toHaveLength(10);
  });

  test('polls the tasks of a dead instance once their lease expires', async () => {
    const { json } = await media.create();
    let wake = () => {};
    world.first.reports = () => new Promise((resolve) => (wake = () => resolve({ state: 'failed' })));
    await world.pass(INTERVAL_MS);
    const stuck = media.videos.poller.runOnce();
    while (world.first.polls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const other = await world.instance();
    world.first.reports = { state: 'completed', videos: VIDEOS };
    await pollAll(other);
    expect(await statusOf(json.task_id)).toMatchObject({ status: 'queued' });
    await world.pass(60_000);
    await other.videos.poller.runOnce();
    expect(await statusOf(json.task_id)).toMatchObject({ status: 'completed' });
    // The first instance was only frozen; its late result is ignored.
    wake();
    await stuck;
    expect(await statusOf(json.task_id)).toMatchObject({ status: 'completed' });
    expect(world.ends).toMatchObject([{ outcome: SETTLED }]);
  });

  test('hands the tasks of a stopping instance over at once', async () => {
    const { json } = await media.create();
    world.first.reports = (signal) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('stopped'))));
    await world.pass(INTERVAL_MS);
    media.videos.poller.start();
    while (world.first.polls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await media.videos.poller.stop();
    world.first.reports = { state: 'completed', videos: VIDEOS };
    const other = await world.instance();
    await other.videos.poller.runOnce();
    expect(await statusOf(json.task_id)).toMatchObject({ status: 'completed' });
  });

  test('backs off after failed polls and continues the task', async () => {
    const { json } = await media.create();
    world.first.reports = new UpstreamError({ kind: 'broken', cause: 0 });
    await pollAll();
    await pollAll();
    await pollAll();
    expect(world.first.polls).toHaveLength(2);
    world.first.reports = { state: 'completed', videos: VIDEOS };
    await world.pass(30_000);
    await media.videos.poller.runOnce();
    expect(await statusOf(json.task_id)).toMatchObject({ status: 'completed' });
  });

  test('does not delay tasks of other providers while one provider hangs', async () => {
    world.models.set('sim/other', { ...MODEL, slug: 'sim/other', targets: [target('second', 0)] });
    for (let i = 0; i < 20; i++) await media.create();
    await media.create({ model: 'sim/other' });
    const held: (() => void)[] = [];
    world.first.reports = () => new Promise((resolve) => held.push(() => resolve({ state: 'running' })));
    await world.pass(INTERVAL_MS);
    const stuck = media.videos.poller.runOnce();
    const second = world.providers.get('second')!;
    while (held.length < 16 || second.polls.length < 1) await new Promise((resolve) => setImmediate(resolve));
    expect([world.first.polls.length, second.polls.length]).toEqual([16, 1]);
    for (const release of held) release();
    await stuck;
  });

  test('gives up a task after a day', async () => {
    const { json } = await media.create();
    await world.pass(86_400_000);
    await media.videos.poller.runOnce();
    expect(await statusOf(json.task_id)).toMatchObject({ status: 'expired' });
    expect(world.ends).toMatchObject([{ outcome: LOST, costNano: '0' }]);
  });

  test('retries invalid seconds and then charges the ordered seconds', async () => {
    const { json } = await media.create();
    world.first.reports = { state: 'completed', seconds: 0, videos: VIDEOS };
    for (let polls = 0; polls < 4; polls++) {
      await pollAll();
      for (const action of ['status', 'result']) {
        await expect(media.post(action, { task_id: json.task_id })).rejects.toEqual(
          code('video_billing_error', { shouldRetry: false }),
        );
      }
    }
    await pollAll();
    expect(await statusOf(json.task_id)).toMatchObject({ status: 'completed' });
    expect(world.ends).toMatchObject([{ outcome: SETTLED, ...COST, usageSource: 'USAGE_SOURCE_COUNTED' }]);
  });

  test('gives up a task whose provider is no longer configured, and deletes it later', async () => {
    const { json } = await media.create();
    world.providers.delete('first');
    media = await world.instance();
    await world.pass(86_400_000 + 11 * 60_000);
    media.videos.poller.start();
    while ((await statusOf(json.task_id)).status !== 'expired') await new Promise((r) => setTimeout(r, 5));
    await media.videos.poller.stop();
    expect(world.ends).toMatchObject([{ outcome: LOST, costNano: '0' }]);
    await world.pass(31 * 86_400_000);
    media = await world.instance();
    media.videos.poller.start();
    while ((await world.pool.query('SELECT 1 FROM media.tasks')).rowCount !== 0) {
      await new Promise((r) => setTimeout(r, 5));
    }
    await media.videos.poller.stop();
  });

  test('does not wait when the database clock is set back by an hour', async () => {
    const { json } = await media.create();
    world.first.reports = { state: 'completed', videos: VIDEOS };
    await world.pass(-3_600_000);
    media.videos.poller.start();
    while ((await statusOf(json.task_id)).status !== 'completed') await new Promise((r) => setTimeout(r, 5));
    await media.videos.poller.stop();
    expect(world.ends).toMatchObject([{ outcome: SETTLED, ...COST }]);
  });

  test('starts, polls and stops by itself', async () => {
    const { json } = await media.create();
    world.first.reports = { state: 'completed', videos: VIDEOS };
    await world.pass(INTERVAL_MS);
    media.videos.poller.start();
    while ((await statusOf(json.task_id)).status !== 'completed') await new Promise((r) => setTimeout(r, 5));
    await media.videos.poller.stop();
    expect(world.ends).toHaveLength(1);
  });
});

describe('a status or result call', () => {
  test.each(['status', 'result'])('of %s uses the rate limit but no money', async (action) => {
    const { json } = await media.create();
    world.reserved.length = 0;
    await media.post(action, { task_id: json.task_id });
    expect(world.reserved).toMatchObject([{ free: true }]);
  });

  test.each(['status', 'result'])('of %s finds only tasks of the own account', async (action) => {
    const { json } = await media.create();
    const ask = (body: object, account = ACCOUNT, provider = 'sim') =>
      media.post(action, body, account, provider);
    await expect(ask({ task_id: json.task_id }, 'acct_2')).rejects.toEqual(code('not_found'));
    for (const task_id of ['task_none', '\0', `${json.task_id}\0`, json.task_id.toUpperCase()]) {
      await expect(ask({ task_id })).rejects.toEqual(code('not_found'));
    }
    await expect(ask({ task_id: json.task_id }, ACCOUNT, 'kling')).rejects.toEqual(
      code('video_model_not_found'),
    );
    for (const nothing of [{}, { task_id: null }, { task_id: '' }, { task_id: [] }]) {
      await expect(ask(nothing)).rejects.toEqual(code('missing_parameter', { param: 'task_id' }));
    }
    for (const wrong of [{ task_id: 7 }, { task_id: json.task_id, model: 'sim/video' }]) {
      await expect(ask(wrong)).rejects.toEqual(code('invalid_request'));
    }
    await expect(ask(Buffer.from('{'))).rejects.toEqual(code('invalid_request'));
    expect(world.reserved).toHaveLength(1);
  });

  test('works for a delisted model, but not for one without the action', async () => {
    const { json } = await media.create();
    world.models.set(MODEL.slug, { ...MODEL, active: false });
    expect(await statusOf(json.task_id)).toMatchObject({ status: 'queued' });
    world.models.set(MODEL.slug, { ...MODEL, workflow: ['create', 'status'] });
    await expect(media.post('result', { task_id: json.task_id })).rejects.toEqual(
      code('video_model_not_found'),
    );
  });

  test("is refused when the video cost more than the key's per-request cap", async () => {
    const { json } = await media.create();
    world.first.reports = { state: 'completed', seconds: 60, videos: VIDEOS };
    await pollAll();
    world.requestCostLimitNano = '1000000000';
    const cap = { limitNano: 1_000_000_000n, usedNano: 3_000_000_000n };
    for (const action of ['status', 'result']) {
      await expect(media.post(action, { task_id: json.task_id })).rejects.toEqual(
        code('request_cost_limit', { cap }),
      );
    }
    expect(world.ends).toMatchObject([{ costNano: '3000000000', videoMs: '60000' }]);
    world.requestCostLimitNano = '3000000000';
    expect(await statusOf(json.task_id)).toMatchObject({ status: 'completed' });
  });

  test('ignores the caps of other keys and caps that were lowered later', async () => {
    const { json } = await media.create();
    world.first.reports = { state: 'completed', seconds: 60, videos: VIDEOS };
    await pollAll();
    world.requestCostLimitNano = '1';
    const asked = { task_id: json.task_id };
    expect((await media.post('status', asked, ACCOUNT, 'sim', 'key_2')).json.status).toBe('completed');
    const cheap = await media.create();
    world.first.reports = { state: 'completed', seconds: 5, videos: VIDEOS };
    await pollAll();
    expect(await statusOf(cheap.json.task_id)).toMatchObject({ status: 'completed' });
  });
});

describe('the task list', () => {
  test("has the account's tasks, newest first, with cost and request id", async () => {
    const first = await media.create();
    world.first.reports = { state: 'completed', seconds: 5, videos: VIDEOS };
    await pollAll();
    const failing = await media.create();
    world.first.reports = { state: 'failed', detail: 'no' };
    await pollAll();
    const running = await media.create();
    world.reserved.length = 0;
    const { json } = await media.list();
    const listed = (created: typeof first, more: object) => ({
      ...created.json,
      id: created.json.task_id,
      object: 'video',
      created_at: expect.any(String),
      request_id: created.requestId,
      ...more,
    });
    const ended_at = expect.any(String);
    expect(json).toEqual({
      object: 'list',
      data: [
        listed(running, { status: 'queued', cost: null }),
        listed(failing, { status: 'failed', cost: 0, ended_at, error: expect.any(Object) }),
        listed(first, { status: 'completed', cost: 0.25, ended_at, duration: 5 }),
      ],
      first_id: running.json.task_id,
      last_id: first.json.task_id,
      has_more: false,
    });
    expect(world.reserved).toMatchObject([{ free: true }]);
    expect((await media.list('', 'acct_2')).json).toMatchObject({ data: [], has_more: false, last_id: null });
  });

  test('is paged, and new tasks do not shift the pages', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await media.create()).json.task_id);
    const seen: string[] = [];
    let query = 'limit=2';
    for (let pages = 1; ; pages++) {
      const { data, has_more, last_id } = (await media.list(query)).json;
      seen.push(...data.map(({ id }: { id: string }) => id));
      if (!has_more) break;
      expect(data).toHaveLength(2);
      if (pages === 1) await media.create();
      query = `limit=2&after=${last_id}`;
    }
    expect(seen).toEqual(ids);
    expect((await media.list('limit=5')).json.has_more).toBe(true);
    expect((await media.list(`limit=5&after=${ids[0]}`)).json).toMatchObject({ has_more: false });
  });

  test('finds a task whose response was lost by the request id', async () => {
    await media.create();
    const lost = await media.create();
    await media.create();
    const { json } = await media.list(`request_id=${lost.requestId}`);
    expect(json).toMatchObject({ data: [{ id: lost.json.task_id }], has_more: false });
    expect((await media.list(`request_id=${lost.requestId}`, 'acct_2')).json.data).toEqual([]);
  });

  test('shows a cost of at most the hold, whatever the video cost', async () => {
    await media.create();
    world.first.reports = { state: 'completed', seconds: 60, videos: VIDEOS };
    await pollAll();
    expect((await media.list()).json.data).toMatchObject([{ duration: 60, cost: 0.25 }]);
  });

  test('contains only tasks of models that the key may call, and so do status and result', async () => {
    const { json } = await media.create();
    const other = 'sim/another-video';
    world.models.set(other, { ...MODEL, slug: other });
    const theirs = await media.create({ model: other });
    const idsOf = async (models: string[], query = '') =>
      (await media.list(query, ACCOUNT, models)).json.data.map(({ id }: { id: string }) => id);
    expect(await idsOf([])).toEqual([theirs.json.task_id, json.task_id]);
    expect(await idsOf([MODEL.slug, 'sim/chat'])).toEqual([json.task_id]);
    for (const allowed of ['sim/*', 'type:video'])
      expect(await idsOf([allowed])).toEqual([theirs.json.task_id, json.task_id]);
    expect(await idsOf(['*/another-video', 'type:chat'])).toEqual([theirs.json.task_id]);
    for (const allowed of ['sim/chat', 'type:chat', 'sim_*', 'acme/*'])
      expect(await idsOf([allowed])).toEqual([]);
    expect(await idsOf(['sim/chat'], `request_id=${theirs.requestId}`)).toEqual([]);
    const poll = (action: string, models: string[]) => {
      const body = Buffer.from(JSON.stringify({ task_id: json.task_id }));
      return media.call('POST', `/v1/videos/sim/${action}`, body, ACCOUNT, undefined, 'key_1', models);
    };
    for (const action of ['status', 'result']) {
      await expect(poll(action, [other])).rejects.toEqual(code('model_not_found'));
      await expect(poll(action, ['type:image'])).rejects.toEqual(code('model_not_found'));
      expect((await poll(action, [MODEL.slug])).status).toBe(200);
      expect((await poll(action, ['type:video'])).status).toBe(200);
    }
    world.models.delete(other);
  });

  test("uses the current allowlist of the key, not edge's cached key", async () => {
    const { json } = await media.create();
    const idsOf = async (models: string[]) =>
      (await media.list('', ACCOUNT, models)).json.data.map(({ id }: { id: string }) => id);
    world.currentlyAllowed = [MODEL.slug];
    expect(await idsOf(['sim/chat'])).toEqual([json.task_id]);
    world.currentlyAllowed = ['sim/chat'];
    expect(await idsOf([MODEL.slug])).toEqual([]);
  });

  test.each(['limit=0', 'after=x', 'request_id=x', 'order=asc'])('rejects the query %s', async (query) => {
    await expect(media.list(query)).rejects.toEqual(code('invalid_request'));
    expect(world.reserved).toEqual([]);
  });
});

describe('the result of a task', () => {
  const resultOf = async (task_id: string) => (await media.post('result', { task_id })).json;

  test('has fresh URLs from the provider', async () => {
    const { json } = await media.create();
    expect(await resultOf(json.task_id)).toEqual({ task_id: json.task_id, status: 'queued', videos: [] });
    world.first.reports = { state: 'completed', seconds: 5, videos: VIDEOS };
    await pollAll();
    world.first.reports = { state: 'completed', videos: [{ url: 'https://cdn.test/2.mp4' }] };
    expect(await resultOf(json.task_id)).toEqual({
      task_id: json.task_id,
      status: 'completed',
      videos: [{ url: 'https://cdn.test/2.mp4', duration: 5, expires_at: null }],
    });
  });

  test('has the expiry of its URLs, and concurrent calls share one poll', async () => {
    const { json } = await media.create();
    world.first.reports = { state: 'completed', videos: VIDEOS };
    await pollAll();
    world.first.polls.length = 0;
    for (const { videos } of await Promise.all([resultOf(json.task_id), resultOf(json.task_id)])) {
      expect(videos).toEqual([
        { url: 'https://cdn.test/1.mp4', duration: 5, expires_at: '2027-01-15T08:00:00.000Z' },
      ]);
    }
    expect(world.first.polls).toHaveLength(1);
  });

  test('of a failed task contains the error', async () => {
    const { json } = await media.create();
    world.first.reports = { state: 'failed' };
    await pollAll();
    expect(await resultOf(json.task_id)).toMatchObject({
      status: 'failed',
      videos: [],
      error: { code: 'video_generation_failed' },
    });
  });

  test("returns the provider's error and can be requested again", async () => {
    const { json } = await media.create();
    world.first.reports = { state: 'completed', videos: VIDEOS };
    await pollAll();
    world.first.reports = new UpstreamError({ kind: 'broken', cause: 0 });
    await expect(resultOf(json.task_id)).rejects.toEqual(code('upstream_failed'));
    world.first.reports = new UpstreamError({ kind: 'unreachable', cause: 0 });
    await expect(resultOf(json.task_id)).rejects.toEqual(code('upstream_unavailable'));
    world.first.reports = { state: 'unknown' };
    await expect(resultOf(json.task_id)).rejects.toEqual(code('not_found'));
    expect(world.ends).toHaveLength(1);
  });

  test('that needs our credential is proxied under a URL of the gateway', async () => {
    const secret = 'https://provider.test/file?needs=our-key';
    world.first.openContent = async (url) => ({
      mime: 'video/mp4',
      bytes: 5,
      body: (async function* () {
        yield Buffer.from(url === secret ? 'bytes' : 'other');
      })(),
    });
    const { json } = await media.create();
    world.first.reports = { state: 'completed', videos: [{ url: secret }] };
    await pollAll();
    const [video] = (await resultOf(json.task_id)).videos;
    expect(video).toEqual({
      url: expect.stringMatching(/^http:\/\/api\.test:8080\/v1\/videos\/files\/task_/),
      duration: 5,
      expires_at: expect.any(String),
    });
    const get = (path: string) => media.call('GET', path, Buffer.alloc(0), '');
    const { pathname } = new URL(video.url);
    expect(await get(pathname)).toMatchObject({
      json: 'bytes',
      headers: { 'content-type': 'video/mp4', 'content-length': '5' },
    });
    await expect(get(`${pathname}x`)).rejects.toEqual(code('not_found'));
    await expect(get('/v1/videos/files/')).rejects.toEqual(code('not_found'));
  });

  test('that is proxied leaves slots for other accounts', async () => {
    let open = new AbortController();
    world.first.openContent = async () => ({
      mime: 'video/mp4',
      body: (async function* () {
        yield Buffer.from('b');
        if (!open.signal.aborted) await once(open.signal, 'abort');
      })(),
    });
    const linkOf = async (accountId: string) => {
      const { json } = await media.post('create', { model: 'sim/video', prompt: 'a cat' }, accountId);
      world.first.reports = { state: 'completed', videos: [{ url: 'https://provider.test/file' }] };
      await pollAll();
      const result = (await media.post('result', { task_id: json.task_id }, accountId)).json;
      return new URL(result.videos[0].url).pathname;
    };
    const [one, other] = [await linkOf(ACCOUNT), await linkOf('acct_2')];
    const get = (path: string) => media.call('GET', path, Buffer.alloc(0), '');
    const slow = Array.from({ length: 17 }, () => get(one));
    // One download is refused; the others hold their slots.
    await expect(Promise.race(slow)).rejects.toEqual(code('rate_limited'));
    const concurrent = get(other);
    open.abort();
    expect((await concurrent).json).toBe('b');
    const ends = await Promise.allSettled(slow);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(16);
    open = new AbortController();
    open.abort();
    expect((await get(one)).json).toBe('b');
  });
});
