import { callUnary } from '@gateway/rpc';
import { createTestDatabase, type TestDatabase, until } from '@gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { reserveRequest, TestBilling, usageEvent, WAIT } from '../testing/test-billing';
import { createTestRedis, type TestRedis } from '../testing/test-redis';

let database: TestDatabase;
let redis: TestRedis;
let billing: TestBilling;
beforeAll(async () => {
  [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
  billing = await TestBilling.start(database.url, { REDIS_URL: redis.url });
  await until(async () => (await billing.ready()) === 'ok');
}, 60_000);
afterAll(async () => {
  await billing?.stop();
  await Promise.all([database?.drop(), redis?.stop()]);
}, 60_000);

const useOf = (accountId: string, id: string) =>
  callUnary(billing.asDashboard, billing.asDashboard.GetKeyUse, { accountId, id }, WAIT);

test('key usage sums settled and held money and the last minute; account usage sums its keys', async () => {
  const limited = await billing.createFundedKey(1_000n, { rpmLimit: '10', tpmLimit: '1000' });
  const { accountId } = limited;
  const { asDashboard: client } = billing;
  const made = await callUnary(client, client.CreateKey, { accountId, name: 'other' }, WAIT);
  const other = { accountId, keyId: made.key!.id };
  expect(await useOf(accountId, limited.keyId)).toMatchObject({
    dayNano: '0',
    monthNano: '0',
    accountDayNano: '0',
    minute: { requests: '0', tokens: '0' },
  });

  const settled = reserveRequest(limited, 100n);
  const calls = [settled, reserveRequest(limited, 20n), reserveRequest(limited, 0n, { free: true })];
  const replies = await billing.reserve(...calls, reserveRequest(other, 5n));
  expect(replies.every((reply) => reply.grant)).toBe(true);
  await billing.deliver(usageEvent(settled, 70n));

  const use = await useOf(accountId, limited.keyId);
  expect(use).toMatchObject({
    dayNano: '90',
    monthNano: '90',
    accountDayNano: '95',
    // 30 tokens of the settled call and the bound of the call in flight.
    minute: { requests: '3', tokens: '130' },
  });
  expect(new Date(Number(use!.dayEndsAtMs)).toISOString()).toMatch(/T00:00:00.000Z$/);
  expect(new Date(Number(use!.monthEndsAtMs)).toISOString()).toMatch(/-01T00:00:00.000Z$/);
  const ofAccount = await callUnary(client, client.GetAccountUse, { accountId }, WAIT);
  expect(ofAccount).toEqual({ dayNano: '95', dayEndsAtMs: use!.dayEndsAtMs });
  const ofOther = await useOf(accountId, other.keyId);
  expect(ofOther).toMatchObject({ dayNano: '5', accountDayNano: '95' });
  expect(ofOther!.minute ?? null).toBeNull();
});

test('account usage answers not_found for an unknown account', async () => {
  const { asDashboard: client } = billing;
  await expect(
    callUnary(client, client.GetAccountUse, { accountId: 'acct_none' }, WAIT),
  ).rejects.toMatchObject({
    code: 'not_found',
  });
});

test("key usage answers not_found for another account's key and for a deleted key", async () => {
  const [mine, theirs] = [await billing.createFundedKey(0n), await billing.createFundedKey(0n)];
  await expect(useOf(mine.accountId, theirs.keyId)).rejects.toMatchObject({ code: 'not_found' });
  const { asDashboard: client } = billing;
  await callUnary(client, client.DeleteKey, { accountId: mine.accountId, id: mine.keyId }, WAIT);
  await expect(useOf(mine.accountId, mine.keyId)).rejects.toMatchObject({ code: 'not_found' });
});
