import { parseKeyEncryptionKeys } from '@gateway/secrets';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createStorageFixture, newKey, type StorageFixture } from '../../testing/storage-fixture';
import type { QueuedResponse } from './background-calls';
import { reencryptBackgroundCalls } from './reencrypt-background-calls';

let storage: StorageFixture;
beforeAll(async () => {
  storage = await createStorageFixture();
}, 60_000);
beforeEach(async () => {
  await storage.owner.query('TRUNCATE storage.responses CASCADE');
});
afterAll(async () => {
  await storage?.cleanUp();
}, 30_000);

const REQUEST_ID = '01890000-0000-7000-8000-000000000001';
const LATER_ID = '01890000-0000-7000-8000-000000000002';
const INPUT = Buffer.from('[{"id":"msg_1","content":"a question"}]');
const QUEUED = Buffer.from('{"status":"queued","output":[]}');
const BODY = Buffer.from('{"input":"a question"}');
const ENDED = { response: Buffer.from('{"output":[{"content":"an answer"}]}'), isVoid: false };
const VOID = { response: Buffer.from('{"status":"cancelled","output":[]}'), isVoid: true };

const queue = (id: string, more: Partial<QueuedResponse> = {}, bounds = {}) =>
  storage
    .backgroundCalls(bounds)
    .queue({ accountId: 'a', keyId: 'k', id, input: INPUT, response: QUEUED, body: BODY, ...more });
const claim = (runner = 'p', busy: readonly string[] = []) => storage.backgroundCalls().claim(runner, busy);
const expireLease = () => storage.owner.query('UPDATE storage.background_calls SET leased_until = now()');
const call = (responseId: string) => ({ responseId, accountId: 'a' });

test('a queued response is stored encrypted, with its input, and its call is claimed once', async () => {
  await queue('r1');
  expect(await storage.responses().response({ accountId: 'a' }, 'r1')).toEqual({
    json: QUEUED,
    progress: 'queued',
  });
  expect(await storage.responses().input({ accountId: 'a' }, 'r1')).toEqual(INPUT);
  const claimed = await claim();
  expect(claimed).toMatchObject({ responseId: 'r1', accountId: 'a', keyId: 'k', body: BODY, queued: QUEUED });
  expect([claimed?.requestId, claimed?.refusal, claimed?.inputBytes]).toEqual([
    undefined,
    undefined,
    INPUT.length,
  ]);
  expect(await claim('q')).toBeUndefined();
  const { rows } = await storage.owner.query('SELECT sealed_body FROM storage.background_calls');
  expect(rows[0].sealed_body.includes('question')).toBe(false);
});

test('the oldest call is claimed first, and none of a busy account', async () => {
  await queue('r1');
  await queue('r2');
  await queue('r3', { accountId: 'b' });
  expect((await claim('p', ['a']))?.responseId).toBe('r3');
  expect((await claim())?.responseId).toBe('r1');
  expect((await claim())?.responseId).toBe('r2');
});

test('an account has no more open responses than the bound, and others are not affected', async () => {
  const bounds = { maxOpen: 1 };
  await queue('r1', {}, bounds);
  await expect(queue('r2', {}, bounds)).rejects.toMatchObject({ code: 'rate_limited' });
  await queue('r3', { accountId: 'b' }, bounds);
  expect(await storage.backgroundCalls().cancel('a', 'r1', VOID)).toBe(true);
  await queue('r2', {}, bounds);
});

test('an account that stores too much without output creates no more until it has deleted some', async () => {
  const bounds = { maxVoidBytes: 10 };
  await queue('r1', {}, bounds);
  await storage.backgroundCalls().cancel('a', 'r1', VOID);
  await expect(queue('r2', {}, bounds)).rejects.toMatchObject({ code: 'rate_limited', shouldRetry: false });
  await queue('r3', { accountId: 'b' }, bounds);
  await storage.responses().delete({ accountId: 'a' }, 'r1');
  await queue('r2', {}, bounds);
});

describe('a call that is run', () => {
  test('is in progress once an attempt is committed, and ends its response', async () => {
    await queue('r1');
    await claim();
    const calls = storage.backgroundCalls();
    expect(await calls.begin('r1', 'p', REQUEST_ID)).toBe(true);
    expect((await storage.responses().response({ accountId: 'a' }, 'r1'))?.progress).toBe('in_progress');
    expect(await calls.end(call('r1'), { runner: 'p', requestId: REQUEST_ID }, ENDED)).toBe(true);
    expect(await storage.responses().response({ accountId: 'a' }, 'r1')).toEqual({ json: ENDED.response });
    expect(await storage.responses().sizes({ accountId: 'a' }, ['r1'])).toEqual([
      { id: 'r1', inputBytes: INPUT.length, responseBytes: ENDED.response.length },
    ]);
    expect(await calls.end(call('r1'), { runner: 'p', requestId: REQUEST_ID }, VOID)).toBe(false);
    expect(await calls.cancel('a', 'r1', VOID)).toBe(false);
    expect(await storage.responses().response({ accountId: 'a' }, 'r1')).toEqual({ json: ENDED.response });
  });

  test('whose lease expired is claimed with its attempt, and the process before can send nothing more', async () => {
    await queue('r1');
    await claim('p');
    const calls = storage.backgroundCalls();
    await calls.begin('r1', 'p', REQUEST_ID);
    await expireLease();
    expect(await calls.renew('r1', 'p')).toBe(true);
    expect(await claim('q')).toBeUndefined();
    await expireLease();
    expect(await claim('q')).toMatchObject({ responseId: 'r1', requestId: REQUEST_ID });
    expect(await calls.renew('r1', 'p')).toBe(false);
    expect(await calls.begin('r1', 'p', LATER_ID)).toBe(false);
    await calls.giveBack('r1', 'p', 0);
    expect(await claim('p')).toBeUndefined();
  });

  test('still ends by the answer to its last attempt after another process has claimed it', async () => {
    await queue('r1');
    await claim('p');
    const calls = storage.backgroundCalls();
    await calls.begin('r1', 'p', REQUEST_ID);
    await expireLease();
    await claim('q');
    expect(await calls.end(call('r1'), { runner: 'p', requestId: LATER_ID }, ENDED)).toBe(false);
    expect(await calls.end(call('r1'), { runner: 'p', requestId: REQUEST_ID }, ENDED)).toBe(true);
  });

  test('is not claimed before a rate limit allows it, and then without the refused attempt', async () => {
    await queue('r1');
    await claim('p');
    const calls = storage.backgroundCalls();
    await calls.begin('r1', 'p', REQUEST_ID);
    await calls.postpone('r1', 'p', 30_000, 'rpm_rate_limited');
    await calls.giveBack('r1', 'p', 0);
    expect(await claim('q')).toBeUndefined();
    expect((await storage.responses().response({ accountId: 'a' }, 'r1'))?.progress).toBe('queued');
    await expireLease();
    const claimed = await claim('q');
    expect([claimed?.requestId, claimed?.refusal]).toEqual([undefined, 'rpm_rate_limited']);
  });

  test('waits for a rate limit no longer than until it must have started', async () => {
    await queue('r1', {}, { startTimeoutMs: 0 });
    await claim('p');
    await storage.backgroundCalls().postpone('r1', 'p', 30_000, 'rpm_rate_limited');
    expect((await claim('q'))?.responseId).toBe('r1');
  });
});

describe('a response that has not ended', () => {
  test('is open for a conversation, and void after it was cancelled', async () => {
    await queue('r1');
    const states = async () =>
      (await storage.responses().conversation({ accountId: 'a' }, 'r1', 9))?.map(({ state }) => state);
    expect(await states()).toEqual(['open']);
    expect(await storage.backgroundCalls().cancel('b', 'r1', VOID)).toBe(false);
    expect(await storage.backgroundCalls().cancel('a', 'r1', VOID)).toBe(true);
    expect(await states()).toEqual(['void']);
    expect(await storage.responses().response({ accountId: 'a' }, 'r1')).toEqual({ json: VOID.response });
  });

  test('loses its call when it is deleted', async () => {
    await queue('r1');
    await claim('p');
    await storage.responses().delete({ accountId: 'a' }, 'r1');
    const calls = storage.backgroundCalls();
    expect(await calls.renew('r1', 'p')).toBe(false);
    expect(await calls.begin('r1', 'p', REQUEST_ID)).toBe(false);
    expect(await calls.end(call('r1'), { runner: 'p' }, ENDED)).toBe(false);
    expect(await storage.responses().response({ accountId: 'a' }, 'r1')).toBeUndefined();
  });

  test('is not replaced by a response that is saved under its id', async () => {
    await queue('r1');
    await storage
      .responses()
      .save({ accountId: 'a', keyId: 'k', id: 'r1', input: INPUT, response: ENDED.response });
    expect(await storage.responses().response({ accountId: 'a' }, 'r1')).toEqual({
      json: QUEUED,
      progress: 'queued',
    });
  });
});

test('calls are encrypted with another key', async () => {
  const [old, next] = [newKey(), newKey()];
  const before = storage.backgroundCalls({}, parseKeyEncryptionKeys(old));
  await before.queue({ accountId: 'a', keyId: 'k', id: 'r1', input: INPUT, response: QUEUED, body: BODY });
  expect(await reencryptBackgroundCalls(storage.owner, parseKeyEncryptionKeys(`${next},${old}`))).toBe(1);
  expect(await reencryptBackgroundCalls(storage.owner, parseKeyEncryptionKeys(`${next},${old}`))).toBe(0);
});
