import { randomUUID } from 'node:crypto';
import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { createServiceDatabase, createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ClaimedCall, StoredReply } from '../idempotency/rules/idempotency';
import { Idempotency } from './idempotency';
import { beat, leave } from './instances';

const log = createLogger('media', 'silent');

let database: TestDatabase;
let pool: Pool;
let alive: Idempotency;
/** Of an instance that has never been heard of. */
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

describe('a key', () => {
  test('belongs to the first of many who claim it at once', async () => {
    const claims = await Promise.all(Array.from({ length: 20 }, () => alive.claim(call())));
    expect(claims.map(({ kind }) => kind).sort()).toEqual([...Array(19).fill('busy'), 'mine']);
  });

  test('is one for each account and operation', async () => {
    await alive.claim(call());
    expect(await alive.claim(call({ operation: 'videos/kling/create' }))).toEqual({ kind: 'mine' });
    expect(await alive.claim(call({ accountId: randomUUID() }))).toEqual({ kind: 'mine' });
  });

  test('gives its answer to the same request, and not to another', async () => {
    const first = call();
    await alive.claim(first);
    expect(await alive.dispatched(first)).toBe(true);
    // The order goes to another target.
    expect(await alive.dispatched(first)).toBe(true);
    await alive.answered(first, reply());
    const { status, headers } = reply();
    const answer = { status, headers, requestId: first.requestId, bodyBytes: 10 };
    expect(await alive.claim(call())).toEqual({ kind: 'answered', answer });
    expect(await alive.bodyOf(call(), answer)).toEqual(reply().body);
    expect(await alive.claim(call({ fingerprint: 'f2' }))).toEqual({ kind: 'other' });
  });

  test('given to a call that is under way is busy, then answered, as if the call had claimed it', async () => {
    const first = call();
    expect(await alive.register(first)).toBe(true);
    expect(await alive.claim(call())).toEqual({ kind: 'busy' });
    expect(await alive.claim(call({ fingerprint: 'f2' }))).toEqual({ kind: 'other' });
    await alive.answered(first, reply());
    expect(await alive.claim(call())).toMatchObject({ kind: 'answered' });
  });

  test('in use is not given to another call', async () => {
    const first = call();
    await alive.claim(first);
    expect(await alive.register(call())).toBe(false);
    await alive.answered(first, reply());
    expect(await alive.claim(call())).toMatchObject({ answer: { requestId: first.requestId } });
  });

  test('given to a call whose instance dies is of an unknown end', async () => {
    await dead.register(call());
    expect(await alive.claim(call())).toEqual({ kind: 'unknown' });
  });

  test('that came to nothing is free for any request', async () => {
    const first = call();
    await alive.claim(first);
    await alive.free(first);
    expect(await alive.claim(call({ fingerprint: 'f2' }))).toEqual({ kind: 'mine' });
  });

  test('of a call that nobody knows the end of stays so, until it is known after all', async () => {
    const first = call();
    await alive.claim(first);
    await alive.lost(first);
    expect(await alive.claim(call())).toEqual({ kind: 'unknown' });
    await alive.answered(first, reply());
    expect(await alive.claim(call())).toMatchObject({ kind: 'answered' });
  });

  test('is busy while its call is under way, which can be seen without taking it', async () => {
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

  test('expires', async () => {
    const first = call();
    await alive.claim(first);
    await alive.answered(first, reply());
    await pool.query(`UPDATE media.idempotency SET expires_at = now() WHERE account_id = $1`, [accountId]);
    expect(await alive.claim(call({ fingerprint: 'f2' }))).toEqual({ kind: 'mine' });
  });

  test('that has expired is swept away', async () => {
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

describe('a key whose owner is gone', () => {
  test('before it called anybody is taken over, and the owner changes nothing any more', async () => {
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

  test('in order is known as gone at once', async () => {
    const instanceId = randomUUID();
    await beat(pool, instanceId);
    const leaving = storeOf(instanceId);
    await leaving.claim(call());
    expect(await alive.claim(call())).toEqual({ kind: 'busy' });
    await leave(pool, instanceId);
    expect(await alive.claim(call())).toEqual({ kind: 'mine' });
  });

  test('once it had called its provider is of an unknown end', async () => {
    const lost = call();
    await dead.claim(lost);
    await dead.dispatched(lost);
    expect(await alive.claim(call())).toEqual({ kind: 'unknown' });
    expect(await alive.claim(call({ fingerprint: 'f2' }))).toEqual({ kind: 'other' });
  });
});

describe('answers take room', () => {
  test('one that is too large is known, and not kept', async () => {
    const first = call();
    await alive.claim(first);
    await alive.answered(first, reply(101));
    const { headers } = reply();
    const answer = { status: 200, headers, requestId: first.requestId };
    expect(await alive.claim(call())).toEqual({ kind: 'answered', answer });
    expect(await alive.bodyOf(call(), answer)).toBe(undefined);
  });

  test('one that is noted again without its body keeps it', async () => {
    const first = call();
    await alive.claim(first);
    await alive.answered(first, reply());
    const { status, headers } = reply();
    await alive.answered(first, { status, headers });
    expect(await alive.claim(call())).toMatchObject({ kind: 'answered', answer: { bodyBytes: 10 } });
  });

  test('the oldest of an account make room', async () => {
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
