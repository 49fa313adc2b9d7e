import { randomUUID } from 'node:crypto';
import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { createServiceDatabase, createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ClaimedCall, StoredReply } from '../idempotency/rules/idempotency';
import { Idempotency } from './idempotency';
import { beat, markStopped } from './instances';

const log = createLogger('media', 'silent');

let database: TestDatabase;
let pool: Pool;
let alive: Idempotency;
/** The store of an instance that has never sent a heartbeat. */
let dead: Idempotency;

const storeOf = (instanceId: string, bounds = {}) =>
  new Idempotency(pool, {
    instanceId,
    maxReplyBytes: 100,
    maxAccountBytes: 250,
    ...bounds,
  });

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: await createServiceDatabase('media', database.url), log });
  const instanceId = randomUUID();
  await beat(pool, instanceId);
  alive = storeOf(instanceId);
  dead = storeOf(randomUUID());
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

let accountId: string;
beforeEach(() => {
  accountId = randomUUID();
});
const call = (fields: Partial<ClaimedCall> = {}): ClaimedCall => ({
  accountId,
  operation: 'images',
  key: 'a key',
  fingerprint: 'f1',
  requestId: randomUUID(),
  ...fields,
});
const reply = (bytes = 10): StoredReply => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.alloc(bytes, 'x'),
});

describe('an idempotency key', () => {
  test('is claimed by one of several concurrent calls', async () => {
    const claims = await Promise.all(Array.from({ length: 20 }, () => alive.claim(call())));
    expect(claims.map(({ kind }) => kind).sort()).toEqual([...Array(19).fill('busy'), 'mine']);
  });

  test('is separate for each account and operation', async () => {
    await alive.claim(call());
    expect(await alive.claim(call({ operation: 'videos/kling/create' }))).toEqual({ kind: 'mine' });
    expect(await alive.claim(call({ accountId: randomUUID() }))).toEqual({ kind: 'mine' });
  });

  test('returns the stored response to the same request only', async () => {
    const first = call();
    await alive.claim(first);
    expect(await alive.dispatched(first)).toBe(true);
    // Dispatched again, to another target.
    expect(await alive.dispatched(first)).toBe(true);
    await alive.answered(first, reply());
    const { status, headers } = reply();
    const answer = { status, headers, requestId: first.requestId, bodyBytes: 10 };
    expect(await alive.claim(call())).toEqual({ kind: 'answered', answer });
    expect(await alive.bodyOf(call(), answer)).toEqual(reply().body);
    expect(await alive.claim(call({ fingerprint: 'f2' }))).toEqual({ kind: 'other' });
  });

  test('registered for a running call is busy, then returns its response', async () => {
    const first = call();
    expect(await alive.register(first)).toBe(true);
    expect(await alive.claim(call())).toEqual({ kind: 'busy' });
    expect(await alive.claim(call({ fingerprint: 'f2' }))).toEqual({ kind: 'other' });
    await alive.answered(first, reply());
    expect(await alive.claim(call())).toMatchObject({ kind: 'answered' });
  });

  test('in use cannot be registered for another call', async () => {
    const first = call();
    await alive.claim(first);
    expect(await alive.register(call())).toBe(false);
    await alive.answered(first, reply());
    expect(await alive.claim(call())).toMatchObject({ answer: { requestId: first.requestId } });
  });

  test('registered for a call has an unknown outcome if its instance dies', async () => {
    await dead.register(call());
    expect(await alive.claim(call())).toEqual({ kind: 'unknown' });
  });

  test('of a call that failed without effect can be claimed by any request', async () => {
    const first = call();
    await alive.claim(first);
    await alive.free(first);
    expect(await alive.claim(call({ fingerprint: 'f2' }))).toEqual({ kind: 'mine' });
  });

  test('has an unknown outcome until the outcome of its call is stored', async () => {
    const first = call();
    await alive.claim(first);
    await alive.lost(first);
    expect(await alive.claim(call())).toEqual({ kind: 'unknown' });
    await alive.answered(first, reply());
    expect(await alive.claim(call())).toMatchObject({ kind: 'answered' });
  });

  test('is busy while its call runs, which can be read without claiming it', async () => {
    expect(await alive.isBusy(call())).toBe(false);
    const first = call();
    await alive.claim(first);
    expect([await alive.isBusy(call()), await alive.isBusy(call({ fingerprint: 'f2' }))]).toEqual([
      true,
      false,
    ]);
    await alive.dispatched(first);
    expect(await alive.isBusy(call())).toBe(true);
    await alive.answered(first, reply());
    expect(await alive.isBusy(call())).toBe(false);
    await dead.claim(call({ key: 'orphan' }));
    expect(await alive.isBusy(call({ key: 'orphan' }))).toBe(false);
  });

  test('can be claimed again after it expired', async () => {
    const first = call();
    await alive.claim(first);
    await alive.answered(first, reply());
    await pool.query(`UPDATE media.idempotency SET expires_at = now() WHERE account_id = $1`, [accountId]);
    expect(await alive.claim(call({ fingerprint: 'f2' }))).toEqual({ kind: 'mine' });
  });

  test('is deleted after it expired', async () => {
    await alive.claim(call());
    await alive.claim(call({ key: 'another' }));
    await pool.query(
      `UPDATE media.idempotency SET expires_at = now() WHERE account_id = $1 AND key = 'a key'`,
      [accountId],
    );
    await alive.sweep();
    const { rows } = await pool.query('SELECT key FROM media.idempotency WHERE account_id = $1', [accountId]);
    expect(rows).toEqual([{ key: 'another' }]);
  });
});

describe('a key whose owner has ended', () => {
  test('before its provider call is taken over, and the former owner cannot change it', async () => {
    const lost = call();
    await dead.claim(lost);
    const next = call({ fingerprint: 'f2' });
    expect(await alive.claim(next)).toEqual({ kind: 'mine' });
    expect(await dead.dispatched(lost)).toBe(false);
    await dead.answered(lost, reply());
    await dead.free(lost);
    expect(await alive.claim(call({ fingerprint: 'f2' }))).toEqual({ kind: 'busy' });
    expect(await alive.dispatched(next)).toBe(true);
  });

  test('is taken over at once after a graceful stop', async () => {
    const instanceId = randomUUID();
    await beat(pool, instanceId);
    const leaving = storeOf(instanceId);
    await leaving.claim(call());
    expect(await alive.claim(call())).toEqual({ kind: 'busy' });
    await markStopped(pool, instanceId);
    expect(await alive.claim(call())).toEqual({ kind: 'mine' });
  });

  test('after its provider call has an unknown outcome', async () => {
    const lost = call();
    await dead.claim(lost);
    await dead.dispatched(lost);
    expect(await alive.claim(call())).toEqual({ kind: 'unknown' });
    expect(await alive.claim(call({ fingerprint: 'f2' }))).toEqual({ kind: 'other' });
  });
});

describe('stored responses', () => {
  test('above the size limit are recorded without their body', async () => {
    const first = call();
    await alive.claim(first);
    await alive.answered(first, reply(101));
    const { headers } = reply();
    const answer = { status: 200, headers, requestId: first.requestId };
    expect(await alive.claim(call())).toEqual({ kind: 'answered', answer });
    expect(await alive.bodyOf(call(), answer)).toBe(undefined);
  });

  test('keep their body when they are recorded again without it', async () => {
    const first = call();
    await alive.claim(first);
    await alive.answered(first, reply());
    const { status, headers } = reply();
    await alive.answered(first, { status, headers });
    expect(await alive.claim(call())).toMatchObject({ kind: 'answered', answer: { bodyBytes: 10 } });
  });

  test('of an account evict its oldest responses', async () => {
    for (const key of ['1', '2', '3']) {
      const each = call({ key });
      await alive.claim(each);
      await alive.answered(each, reply(100));
    }
    const kept = async (key: string) => {
      const claim = await alive.claim(call({ key }));
      return claim.kind === 'answered' && claim.answer.bodyBytes;
    };
    expect([await kept('1'), await kept('2'), await kept('3')]).toEqual([undefined, 100, 100]);
  });
});
