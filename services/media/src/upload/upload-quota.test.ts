import { expect, test } from '@jest/globals';
import { UploadQuota } from './upload-quota';

const REFUSED = expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 });

/** Accounts named `poor…` have no funds. */
const quotaOf = (maxBytes: number, maxFormBytes = 1) =>
  new UploadQuota({ maxBytes, maxFormBytes, hasFunds: async (accountId) => !accountId.startsWith('poor') });

test('any number of accounts without funds leaves space to accounts with funds', async () => {
  const space = quotaOf(1_600);
  const poor = await Promise.all(Array.from({ length: 40 }, (_, at) => space.ofAccount(`poor-${at}`)));
  for (const share of poor.slice(0, 4)) share.acquire(50);
  expect(() => poor[0]!.acquire(1)).toThrow(REFUSED);
  for (const share of poor.slice(4)) expect(() => share.acquire(1)).toThrow(REFUSED);
  expect(space.usedBytes).toBe(200);
  const rich = await space.ofAccount('rich');
  rich.acquire(400);
  expect(() => rich.acquire(1)).toThrow(REFUSED);
  for (const share of poor.slice(0, 4)) share.release(50);
  rich.release(400);
  expect(space.usedBytes).toBe(0);
  poor[39]!.acquire(50);
});

test('space used by accounts with funds is not available to others', async () => {
  const space = quotaOf(1_600);
  for (const account of ['a', 'b', 'c']) (await space.ofAccount(account)).acquire(400);
  (await space.ofAccount('d')).acquire(390);
  const poor = await space.ofAccount('poor');
  expect(() => poor.acquire(11)).toThrow(REFUSED);
  // Refused space is not used.
  for (let times = 0; times < 30; times++) expect(() => poor.acquire(11)).toThrow(REFUSED);
  poor.acquire(10);
});

test('a complete form of an account without funds fits even when the space is small', async () => {
  const space = quotaOf(800, 150);
  const poor = await space.ofAccount('poor-1');
  poor.acquire(150);
  const other = await space.ofAccount('poor-2');
  expect(() => other.acquire(1)).toThrow(REFUSED);
});

test('an account that receives funds gets the larger quota with its next form', async () => {
  let hasFunds = false;
  const space = new UploadQuota({ maxBytes: 1_600, maxFormBytes: 1, hasFunds: async () => hasFunds });
  const before = await space.ofAccount('one');
  before.acquire(50);
  hasFunds = true;
  const after = await space.ofAccount('one');
  after.acquire(300);
  expect(() => before.acquire(1)).toThrow(REFUSED);
  before.release(50);
  after.acquire(100);
});
