import type { Account, CredentialInfo } from '@gateway/upstream';
import { UpstreamError } from '@gateway/upstream';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { CALL } from '../providers/video-protocol.fixture';
import { FakeVideoProvider } from '../testing/fake-video-provider';
import { MODEL, type VideoInstance, VideoWorld } from '../testing/video-world';
import { pollTask } from './poll-task';
import type { VideoProvider } from './rules/video-provider';

const INTERVAL_MS = 3_000;
const COMPLETED = { state: 'completed', seconds: 5, videos: [{ url: 'https://cdn.test/1.mp4' }] } as const;
const UNKNOWN = { state: 'unknown' } as const;

let world: VideoWorld;
let media: VideoInstance;
/** The provider `first` with each of its credentials. */
let one: FakeVideoProvider;
let two: FakeVideoProvider;

beforeAll(async () => {
  world = await VideoWorld.start();
}, 60_000);
beforeEach(async () => {
  await world.clear();
  media = await world.instance();
  one = new FakeVideoProvider('first');
  two = new FakeVideoProvider('first');
  // An account only knows its own tasks.
  one.reports = UNKNOWN;
  two.reports = UNKNOWN;
});
afterAll(() => world?.stop(), 60_000);

const account = (
  provider: FakeVideoProvider,
  id: string,
  more: Partial<CredentialInfo> = {},
): Account<VideoProvider> => ({ provider, credential: { id, name: id, weight: 1, ...more } });

const connect = (...accounts: Account<VideoProvider>[]) => world.accounts.set('first', accounts);

/** Creates a task with the credential `two`. */
async function createWithTwo(): Promise<string> {
  connect(account(two, 'two'));
  const { json } = await media.create();
  connect(account(one, 'one'), account(two, 'two'));
  return json.task_id;
}

async function poll(by = media): Promise<void> {
  await world.pass(5 * INTERVAL_MS);
  await by.videos.poller.runOnce();
}

const statusOf = async (task_id: string) => (await media.post('status', { task_id })).json.status;

test('a task is polled with the credential that created it, by any instance', async () => {
  const id = await createWithTwo();
  two.reports = COMPLETED;
  await poll(await world.instance());
  expect([one.polls.length, two.polls.length]).toEqual([0, 1]);
  expect(await statusOf(id)).toBe('completed');
});

test('a rotated credential continues its tasks', async () => {
  const id = await createWithTwo();
  const rotated = new FakeVideoProvider('first');
  rotated.reports = COMPLETED;
  connect(account(one, 'one'), account(rotated, 'two'));
  await poll();
  expect([one.polls.length, two.polls.length, rotated.polls.length]).toEqual([0, 0, 1]);
  expect(await statusOf(id)).toBe('completed');
});

test('a task whose credential is gone is polled with the other credentials, one of which may be of the same account', async () => {
  const id = await createWithTwo();
  const again = new FakeVideoProvider('first');
  again.reports = COMPLETED;
  connect(account(one, 'one'), account(again, 'three'));
  await poll();
  expect(await statusOf(id)).toBe('completed');
  expect(world.ends).toMatchObject([{ outcome: 'USAGE_OUTCOME_SETTLED', costNano: '250000000' }]);
  const { json } = await media.post('result', { task_id: id });
  expect(json.videos).toMatchObject([{ url: 'https://cdn.test/1.mp4' }]);
});

test('a task that only a missing credential knows waits for it, and is given up after a day', async () => {
  const id = await createWithTwo();
  const refusing = new FakeVideoProvider('first');
  refusing.reports = new UpstreamError({ kind: 'status', status: 403 });
  connect(account(refusing, 'refusing'), account(one, 'one'));
  for (let polls = 0; polls < 150; polls++) await poll();
  expect(await statusOf(id)).toBe('queued');
  await expect(
    pollTask(world.accounts.get('first')!, { credentialId: 'two', upstreamId: '', upstreamModel: '' }, CALL),
  ).rejects.toMatchObject({ code: 'CREDENTIAL_GONE' });
  two.reports = COMPLETED;
  connect(account(one, 'one'), account(two, 'two'));
  await world.pass(10 * INTERVAL_MS);
  await media.videos.poller.runOnce();
  expect(await statusOf(id)).toBe('completed');
});

test('a task of a version that did not store credentials is polled with the credential that knows it', async () => {
  const id = await createWithTwo();
  await world.pool.query('UPDATE media.tasks SET credential_id = NULL');
  two.reports = COMPLETED;
  await poll();
  expect(await statusOf(id)).toBe('completed');
});

test('the version before, which does not know the column, can still create tasks', async () => {
  await createWithTwo();
  const { rows } = await world.pool.query(
    `INSERT INTO media.tasks (id, request_id, account_id, key_id, model, provider, upstream_model, upstream_id, tier,
       requested_ms, per_second_nano, next_look_at)
     SELECT 'task_old', gen_random_uuid(), account_id, key_id, model, provider, upstream_model, upstream_id, tier,
       requested_ms, per_second_nano, next_look_at FROM media.tasks RETURNING credential_id`,
  );
  expect(rows).toEqual([{ credential_id: null }]);
});

test('a task of the environment is continued with the credential of the catalog that replaces it', async () => {
  const { json } = await media.create();
  two.reports = COMPLETED;
  connect(account(one, 'one'), account(two, 'two'));
  await poll();
  expect(await statusOf(json.task_id)).toBe('completed');
});

test('a task that is recovered after its instance died is polled with the credential that ordered it', async () => {
  const dying = await world.instance();
  two.externalTaskId = (_order, requestId) => requestId;
  two.accepts = () => new Promise(() => {});
  connect(account(two, 'two'));
  void dying.create({}, 'key-1');
  while (two.orders.length === 0) await new Promise(setImmediate);
  await world.adopt(dying, media);
  two.reports = COMPLETED;
  connect(account(one, 'one'), account(two, 'two'));
  await poll();
  expect([one.polls.length, two.polls.length]).toEqual([0, 1]);
  expect((await media.create({}, 'key-1')).json.status).toBe('completed');
});

test('a file that needs the credential is opened with the one that created the task, or else with one that may', async () => {
  const id = await createWithTwo();
  two.reports = COMPLETED;
  await poll();
  const opened: string[] = [];
  const opens = (name: string, mayRead: boolean) => async () => {
    opened.push(name);
    if (!mayRead) throw new UpstreamError({ kind: 'status', status: 403 });
    const body = (async function* () {
      yield Buffer.from('film');
    })();
    return { mime: 'video/mp4', bytes: 4, body };
  };
  one.openContent = opens('one', true);
  two.openContent = opens('two', true);
  const { json } = await media.post('result', { task_id: id });
  const { pathname } = new URL(json.videos[0].url);
  const open = () => media.call('GET', pathname, Buffer.alloc(0), 'acct_1');
  expect((await open()).json).toBe('film');
  const three = new FakeVideoProvider('first');
  three.openContent = opens('three', false);
  connect(account(three, 'three'), account(one, 'one'));
  expect((await open()).json).toBe('film');
  expect(opened).toEqual(['two', 'three', 'one']);
});

test('an order beyond the limit of one credential goes to the next, and one beyond all limits is rate_limited', async () => {
  const limits = { requestsPerMinute: 1 };
  connect(account(one, 'one', { limits }), account(two, 'two', { limits }));
  await media.create();
  await media.create();
  expect([one.orders.length, two.orders.length]).toEqual([1, 1]);
  await expect(media.create()).rejects.toMatchObject({ code: 'rate_limited' });
  expect([one.orders.length, two.orders.length]).toEqual([1, 1]);
});

test('orders follow the strategy of their model and the weights of its credentials', async () => {
  connect(account(one, 'one', { weight: 0 }), account(two, 'two', { weight: 9 }));
  for (const _order of [1, 2, 3]) await media.create();
  expect([one.orders.length, two.orders.length]).toEqual([0, 3]);
  world.models.set(MODEL.slug, { ...MODEL, strategy: 'least-busy' });
  two.accepts = () => new Promise(() => {});
  connect(account(one, 'one'), account(two, 'two', { weight: 1_000_000 }));
  void media.create();
  while (two.orders.length < 4) await new Promise(setImmediate);
  await media.create();
  expect(one.orders).toHaveLength(1);
});

test('a provider that an operator connects is polled without a restart', async () => {
  const model = { ...MODEL, targets: [{ ...MODEL.targets[0]!, provider: 'new' }] };
  world.models.set(MODEL.slug, model);
  await expect(media.create()).rejects.toMatchObject({ code: 'upstream_unavailable' });
  const connected = new FakeVideoProvider('new');
  world.accounts.set('new', [account(connected, 'main')]);
  const { json } = await media.create();
  connected.reports = COMPLETED;
  await poll();
  expect(await statusOf(json.task_id)).toBe('completed');
});
