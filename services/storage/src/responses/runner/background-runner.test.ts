import { GatewayError } from '@gateway/errors';
import { createLogger } from '@gateway/process';
import { until } from '@gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Charge } from '../../calls/billing-calls';
import { AnswerLost, type ChatCall } from '../../calls/chat-calls';
import { createStorageFixture, type StorageFixture } from '../../testing/storage-fixture';
import { BackgroundRunner } from './background-runner';

let storage: StorageFixture;
let runner: BackgroundRunner | undefined;
beforeAll(async () => {
  storage = await createStorageFixture();
}, 60_000);
beforeEach(async () => {
  await storage.owner.query('TRUNCATE storage.responses CASCADE');
});
afterEach(async () => {
  await runner?.stop(Promise.resolve());
  runner = undefined;
});
afterAll(async () => {
  await storage?.cleanUp();
}, 30_000);

const OWN_ID = '01890000-0000-7000-8000-000000000001';
const ID = `resp_${OWN_ID}`;
const NOTHING: Charge = { state: 'ended', nano: 0n };

type Send = (call: ChatCall, signal: AbortSignal) => Promise<object>;

/** Starts a process that sends its calls by this function. */
function start(send: Send, { charge = NOTHING, concurrency = 4 } = {}) {
  const released: string[] = [];
  const sent: ChatCall[] = [];
  const statuses: string[] = [];
  runner = new BackgroundRunner({
    background: storage.backgroundCalls(),
    calls: {
      chat: {
        async send(call, signal) {
          sent.push(call);
          const body = Buffer.from(JSON.stringify(await send(call, signal)));
          return { headers: {}, body, release: () => void released.push(call.requestId) };
        },
      },
      billing: { key: async () => ({}) as never, close: async () => charge },
    },
    concurrency,
    metrics: { started: () => {}, ended: (status) => statuses.push(status) },
    log: createLogger('storage-test', 'silent'),
  });
  return { sent, statuses, runner, released };
}

const queue = (id = ID, accountId = 'a') =>
  storage.backgroundCalls().queue({
    ...{ accountId, keyId: 'k', id, input: Buffer.from('[]'), body: Buffer.from('{"a":1}') },
    response: Buffer.from(`{"id":"${id}","created_at":1,"status":"queued","background":true,"output":[]}`),
  });
const found = async (id = ID) => {
  const response = await storage.responses().response({ accountId: 'a' }, id);
  return response && { ...JSON.parse(response.json.toString()), progress: response.progress };
};
const hasEnded = () => until(async () => (await found())?.progress === undefined);
const completed = async () => ({ id: ID, status: 'completed', output: ['x'] });
/** A call that lasts until it is aborted. */
const endless: Send = (_call, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new AnswerLost('aborted')), { once: true });
  });

test('a queued response is sent when the process is woken, under the id that it contains', async () => {
  const { sent, statuses, runner, released } = start(completed);
  await queue();
  runner.wake();
  await hasEnded();
  expect(await found()).toMatchObject({ status: 'completed', created_at: 1, output: ['x'] });
  expect(sent).toMatchObject([
    { requestId: OWN_ID, path: '/v1/responses', headers: { 'x-gateway-background': OWN_ID } },
  ]);
  expect(statuses).toEqual(['completed']);
  await until(() => released.length === 1);
});

test('a response of another process that was not woken is sent within a second or two', async () => {
  await queue();
  start(completed);
  await hasEnded();
  expect((await found()).status).toBe('completed');
});

test('a response that is cancelled is aborted, and its answer changes nothing', async () => {
  const { sent, runner } = start(endless);
  await queue();
  runner.wake();
  await until(() => sent.length === 1);
  const cancelled = { response: Buffer.from('{"status":"cancelled","output":[]}'), isVoid: true };
  await storage.backgroundCalls().cancel('a', ID, cancelled);
  runner.abort(ID);
  await until(() => runner.running === 0);
  expect(await found()).toMatchObject({ status: 'cancelled' });
  expect(sent).toHaveLength(1);
});

test('a response that is cancelled elsewhere is aborted when its lease cannot be renewed', async () => {
  const { sent, runner } = start(endless);
  await queue();
  runner.wake();
  await until(() => sent.length === 1);
  await storage.responses().delete({ accountId: 'a' }, ID);
  await until(() => runner.running === 0);
});

test('a call whose answer was lost after it had been charged fails with its request id', async () => {
  const { sent, runner } = start(
    async () => {
      throw new AnswerLost('link lost');
    },
    { charge: { state: 'ended', nano: 5n } },
  );
  await queue();
  runner.wake();
  await hasEnded();
  expect(await found()).toMatchObject({
    status: 'failed',
    error: { code: 'internal_error', request_id: OWN_ID },
  });
  expect(sent).toHaveLength(1);
});

test('a call that a rate limit refuses occupies no place, and has a new request id when it is sent again', async () => {
  const refused = new GatewayError('rpm_rate_limited', { retryAfterSeconds: 30 });
  let isRefused = true;
  const { sent, runner } = start(async () => {
    if (isRefused) throw refused;
    return completed();
  });
  await queue();
  runner.wake();
  await until(() => sent.length === 1 && runner.running === 0);
  expect((await found()).progress).toBe('queued');
  isRefused = false;
  await storage.owner.query('UPDATE storage.background_calls SET leased_until = now()');
  runner.wake();
  await hasEnded();
  expect((await found()).status).toBe('completed');
  expect(sent[1]?.requestId).not.toBe(OWN_ID);
});

test('a call that was refused until its time was over fails with that refusal', async () => {
  await queue();
  await storage.owner.query(
    `UPDATE storage.background_calls SET refusal = 'tpm_rate_limited', start_by = now()`,
  );
  const { sent } = start(completed);
  await hasEnded();
  expect(await found()).toMatchObject({ status: 'failed', error: { code: 'tpm_rate_limited' } });
  expect(sent).toEqual([]);
});

test('one account has a quarter of the places', async () => {
  const { sent, runner } = start(endless);
  for (const at of [1, 2, 3]) await queue(`resp_0189000${at}-0000-7000-8000-000000000001`);
  await queue('resp_01890000-0000-7000-8000-000000000009', 'b');
  runner.wake();
  await until(() => sent.length === 2);
  await runner.stop(Promise.resolve());
  expect(sent).toHaveLength(2);
});

test('a process that stops lets its call end, and sends no other', async () => {
  const answer = Promise.withResolvers<object>();
  const { sent, runner } = start(() => answer.promise);
  await queue();
  runner.wake();
  await until(() => sent.length === 1);
  const stopped = runner.stop(new Promise(() => {}));
  await queue('resp_01890000-0000-7000-8000-000000000002');
  runner.wake();
  answer.resolve(await completed());
  await stopped;
  expect((await found()).status).toBe('completed');
  expect(sent).toHaveLength(1);
  expect((await found('resp_01890000-0000-7000-8000-000000000002')).progress).toBe('queued');
});
