import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createStorageFixture, type StorageFixture } from '../../testing/storage-fixture';
import { ResponseQuota } from './response-quota';

let storage: StorageFixture;
beforeAll(async () => {
  storage = await createStorageFixture();
}, 60_000);
beforeEach(() => storage.owner.query('TRUNCATE storage.responses CASCADE'));
afterAll(async () => {
  await storage?.cleanUp();
}, 30_000);

let nowMs = 0;
const quotaOf = (bounds: { maxBytes?: number; maxCount?: number }) =>
  new ResponseQuota(storage.pool, { maxBytes: 1_000, maxCount: 100, ...bounds }, () => nowMs);
const save = (id: string, accountId = 'a') =>
  storage
    .responses()
    .save({ accountId, keyId: 'k', id, input: Buffer.alloc(40, 'i'), response: Buffer.alloc(60, 'r') });
const FULL = { code: 'invalid_request', detail: expect.stringContaining('delete some of them') };

test('bounds the bytes of an account: other accounts are not affected', async () => {
  const quota = quotaOf({ maxBytes: 250 });
  await save('r1');
  await save('other', 'b');
  await quota.check('a', 150);
  await expect(quota.check('a', 151)).rejects.toMatchObject(FULL);
  await quota.check('b', 150);
});

test('bounds the number of responses, with those that this process has stored since it read the sum', async () => {
  const quota = quotaOf({ maxCount: 2 });
  await quota.check('a', 1);
  for (const id of ['r1', 'r2']) {
    await save(id);
    quota.add('a', 100);
  }
  nowMs += 251;
  await expect(quota.check('a', 1)).rejects.toMatchObject(FULL);
});

test('admits more once responses were deleted or have expired', async () => {
  const quota = quotaOf({ maxCount: 1 });
  await save('r1');
  await expect(quota.check('a', 1)).rejects.toMatchObject(FULL);
  await storage.responses().delete({ accountId: 'a' }, 'r1');
  quota.forget('a');
  // A sum may be of many rows: deletions don't make it more frequent.
  await expect(quota.check('a', 1)).rejects.toMatchObject(FULL);
  nowMs += 251;
  await quota.check('a', 1);
  await save('r2');
  await storage.owner.query(`UPDATE storage.responses SET expires_at = now() - interval '1 second'`);
  nowMs += 251;
  await quota.check('a', 1);
});

test('with a bound of zero nothing is stored', async () => {
  await expect(quotaOf({ maxCount: 0 }).check('a', 1)).rejects.toMatchObject(FULL);
});
