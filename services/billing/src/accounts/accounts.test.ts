import { randomUUIDv7 } from 'node:crypto';
import type { CreateTopupRequest } from '@gateway/proto/generated/gateway/billing/v1/CreateTopupRequest';
import { callUnary } from '@gateway/rpc';
import { createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { reserveRequest, summary, TestBilling, WAIT } from '../testing/test-billing';

let database: TestDatabase;
let billing: TestBilling;
let client: TestBilling['asDashboard'];
beforeAll(async () => {
  database = await createTestDatabase();
  billing = await TestBilling.start(database.url);
  client = billing.asDashboard;
}, 60_000);
afterAll(async () => {
  expect(await billing.metric('ledger_drift_nano')).toBe(0);
  await billing?.stop();
  await database?.drop();
}, 60_000);

const createAccount = (id = `acct_${randomUUIDv7()}`, name = 'test') =>
  callUnary(client, client.CreateAccount, { id, name }, WAIT);
const createTopup = (accountId: string, more: CreateTopupRequest = {}) =>
  callUnary(
    client,
    client.CreateTopup,
    { id: randomUUIDv7(), accountId, amountNano: '1000', status: 'TOPUP_STATUS_CLEARED', ...more },
    WAIT,
  );
const notFound = { code: 'not_found' };
const invalid = { code: 'invalid_request' };

describe('an account', () => {
  test('is created once, however many requests repeat its id', async () => {
    const first = await createAccount();
    expect(first).toMatchObject({
      name: 'test',
      balanceNano: '0',
      heldNano: '0',
      status: 'ACCOUNT_STATUS_ACTIVE',
    });
    expect(first.dailyLimitNano).toBeUndefined();
    expect(await createAccount(first.id, 'other')).toEqual(first);
  });

  test('answers not_found for an unknown account', async () => {
    await expect(billing.account('acct_nobody')).rejects.toMatchObject(notFound);
    await expect(billing.account('')).rejects.toMatchObject(notFound);
    await expect(billing.account('a\0b')).rejects.toMatchObject(notFound);
    await expect(createTopup('acct_nobody')).rejects.toMatchObject(notFound);
    await expect(
      callUnary(client, client.CreateKey, { accountId: 'acct_nobody' }, WAIT),
    ).rejects.toMatchObject(notFound);
  });

  test.each([
    ['', 'empty'],
    ['x'.repeat(129), 'long'],
    ['\0', 'NUL'],
  ])('with an invalid id is rejected: %j', async (id) => {
    await expect(createAccount(id)).rejects.toMatchObject(invalid);
  });
});

describe('a top-up', () => {
  test('is credited once per top-up id', async () => {
    const { id: accountId } = await createAccount();
    const id = randomUUIDv7();
    const all = await Promise.all(Array.from({ length: 5 }, () => createTopup(accountId, { id })));
    expect(new Set(all.map((topup) => JSON.stringify(topup))).size).toBe(1);
    expect(all[0]).toMatchObject({ id, accountId, amountNano: '1000', status: 'TOPUP_STATUS_CLEARED' });
    expect((await billing.account(accountId)).balanceNano).toBe('1000');
    await expect(createTopup(accountId, { id, amountNano: '1001' })).rejects.toMatchObject(invalid);
    const { id: stranger } = await createAccount();
    await expect(createTopup(stranger, { id })).rejects.toMatchObject(invalid);
  });

  test('credits the balance only once it is cleared; the next call can spend it', async () => {
    const key = await billing.createFundedKey(0n);
    const topup = await createTopup(key.accountId, { status: 'TOPUP_STATUS_PENDING' });
    expect(topup.clearedAtMs).toBeUndefined();
    expect(summary((await billing.reserve(reserveRequest(key, 1n)))[0]!)).toBe('insufficient_balance');
    const clear = () => callUnary(client, client.ClearTopup, { id: topup.id }, WAIT);
    const cleared = await Promise.all([clear(), clear(), clear()]);
    expect(cleared.map(({ status }) => status)).toEqual(Array(3).fill('TOPUP_STATUS_CLEARED'));
    expect(summary((await billing.reserve(reserveRequest(key, 1_000n)))[0]!)).toBe('granted 1000');
    expect((await billing.account(key.accountId)).balanceNano).toBe('1000');
  });

  test('cannot be cleared after it was voided, nor voided after it was cleared', async () => {
    const { id: accountId } = await createAccount();
    const end = (id: string, how: 'ClearTopup' | 'VoidTopup') => callUnary(client, client[how], { id }, WAIT);
    const pending = await createTopup(accountId, { status: 'TOPUP_STATUS_PENDING' });
    const voided = await end(pending.id, 'VoidTopup');
    expect(voided).toMatchObject({ id: pending.id, status: 'TOPUP_STATUS_VOIDED' });
    expect(Number(voided.voidedAtMs)).toBeGreaterThan(0);
    expect(await end(pending.id, 'VoidTopup')).toEqual(voided);
    await expect(end(pending.id, 'ClearTopup')).rejects.toMatchObject(invalid);
    await expect(createTopup(accountId, { id: pending.id })).rejects.toMatchObject(invalid);
    const cleared = await createTopup(accountId);
    await expect(end(cleared.id, 'VoidTopup')).rejects.toMatchObject(invalid);
    await expect(end('nothing', 'VoidTopup')).rejects.toMatchObject(notFound);
    expect((await billing.account(accountId)).balanceNano).toBe('1000');
    const listed = await callUnary(
      client,
      client.ListTopupsByStatus,
      { status: 'TOPUP_STATUS_VOIDED' },
      WAIT,
    );
    expect(listed.topups).toEqual([voided]);
  });

  test('is either cleared or voided when both are requested concurrently', async () => {
    const { id: accountId } = await createAccount();
    for (let i = 0; i < 5; i++) {
      const { id } = await createTopup(accountId, { status: 'TOPUP_STATUS_PENDING' });
      const before = BigInt((await billing.account(accountId)).balanceNano);
      const [cleared, voided] = await Promise.allSettled([
        callUnary(client, client.ClearTopup, { id }, WAIT),
        callUnary(client, client.VoidTopup, { id }, WAIT),
      ]);
      expect([cleared.status, voided.status].sort()).toEqual(['fulfilled', 'rejected']);
      const paid = BigInt((await billing.account(accountId)).balanceNano) - before;
      expect(paid).toBe(cleared.status === 'fulfilled' ? 1_000n : 0n);
    }
  });

  test('keeps the payment reference of its first request', async () => {
    const { id: accountId } = await createAccount();
    const topup = await createTopup(accountId, { reference: 'invoice 7' });
    expect(topup).toMatchObject({ reference: 'invoice 7' });
    expect(await createTopup(accountId, { id: topup.id, reference: 'invoice 8' })).toEqual(topup);
    expect((await createTopup(accountId)).reference).toBe('');
    await expect(createTopup(accountId, { reference: 'x'.repeat(201) })).rejects.toMatchObject(invalid);
    const { entries } = await callUnary(client, client.ListLedger, { accountId }, WAIT);
    expect(entries.map(({ note }) => note)).toEqual(['', 'invoice 7']);
  });

  test.each(['0', '-5', '1000000000000000001'])('of %s nano-USD is rejected', async (amountNano) => {
    const { id } = await createAccount();
    await expect(createTopup(id, { amountNano })).rejects.toMatchObject(invalid);
  });

  test('is rejected without a valid status, and clearing an unknown one answers not_found', async () => {
    const { id } = await createAccount();
    for (const status of ['TOPUP_STATUS_UNSPECIFIED', 'TOPUP_STATUS_VOIDED'] as const) {
      await expect(createTopup(id, { status })).rejects.toMatchObject(invalid);
    }
    await expect(callUnary(client, client.ClearTopup, { id: 'nothing' }, WAIT)).rejects.toMatchObject(
      notFound,
    );
  });
});

describe("lists are paged, newest first, and contain only the account's own rows", () => {
  test.each(['topups', 'ledger', 'keys'] as const)('the list of %s', async (what) => {
    const { id: accountId } = await createAccount();
    const { id: stranger } = await createAccount();
    const made: string[] = [];
    for (let i = 0; i < 5; i++) {
      const { key } = await callUnary(client, client.CreateKey, { accountId, name: `${i}` }, WAIT);
      const topup = await createTopup(accountId);
      made.unshift(what === 'keys' ? key!.id : topup.id);
    }
    const page = async (account: string, cursor: string) => {
      const asked = { accountId: account, limit: 2, cursor };
      if (what === 'topups') {
        const { topups, nextCursor } = await callUnary(client, client.ListTopups, asked, WAIT);
        return { ids: topups.map(({ id }) => id), nextCursor };
      }
      if (what === 'keys') {
        const { keys, nextCursor } = await callUnary(client, client.ListKeys, asked, WAIT);
        return { ids: keys.map(({ id }) => id), nextCursor };
      }
      const { entries, nextCursor } = await callUnary(client, client.ListLedger, asked, WAIT);
      return { ids: entries.map(({ reference }) => reference), nextCursor };
    };
    const seen: string[] = [];
    let cursor = '';
    for (let pages = 1; ; pages++) {
      const { ids, nextCursor } = await page(accountId, cursor);
      seen.push(...ids);
      cursor = nextCursor;
      if (cursor === '') {
        expect(pages).toBe(3);
        break;
      }
    }
    expect(seen).toEqual(made);
    expect(await page(stranger, '')).toEqual({ ids: [], nextCursor: '' });
    await expect(page(accountId, 'abc')).rejects.toMatchObject(invalid);
  });
});

test('lists top-ups of all accounts by status, newest first', async () => {
  const accounts = [await createAccount(), await createAccount()];
  const made: string[] = [];
  for (const { id } of [...accounts, ...accounts]) {
    made.unshift((await createTopup(id, { status: 'TOPUP_STATUS_PENDING' })).id);
    await createTopup(id);
  }
  const page = async (cursor: string) => {
    const asked = { status: 'TOPUP_STATUS_PENDING', limit: 3, cursor } as const;
    return callUnary(client, client.ListTopupsByStatus, asked, WAIT);
  };
  const first = await page('');
  const second = await page(first.nextCursor);
  const seen = [...first.topups, ...second.topups].map(({ id }) => id);
  expect(seen.slice(0, 4)).toEqual(made);
  await callUnary(client, client.ClearTopup, { id: made[0]! }, WAIT);
  expect((await page('')).topups[0]!.id).toBe(made[1]);
  await expect(callUnary(client, client.ListTopupsByStatus, {}, WAIT)).rejects.toMatchObject(invalid);
});

test('finds accounts by part of the name, by full id, or by additional ids', async () => {
  const word = randomUUIDv7().slice(-12);
  const [one, two, three] = [
    await createAccount(undefined, `The ${word} Company`),
    await createAccount(undefined, `100%_${word.toUpperCase()}`),
    await createAccount(undefined, 'another'),
  ];
  const found = async (query: string, alsoIds: string[] = []) => {
    const asked = { limit: 10, query, alsoIds };
    const { accounts } = await callUnary(client, client.ListAccounts, asked, WAIT);
    return accounts.map(({ id }) => id);
  };
  expect(await found(word)).toEqual([two.id, one.id]);
  expect(await found(`%_${word}`)).toEqual([two.id]);
  expect(await found(three.id)).toEqual([three.id]);
  expect(await found(`${word} comp`, [three.id])).toEqual([three.id, one.id]);
  expect(await found(`${word} unknown`)).toEqual([]);
  await expect(found('x'.repeat(201))).rejects.toMatchObject(invalid);
});

test('returns a key with its settings to its own account only', async () => {
  const { id: accountId } = await createAccount();
  const settings = {
    name: 'mine',
    expiresAtMs: '4102444800000',
    allowedModels: ['sim/chat'],
    dailyLimitNano: '1',
    monthlyLimitNano: '2',
    requestCostLimitNano: '3',
    rpmLimit: '4',
    tpmLimit: '0',
  };
  const { key } = await callUnary(client, client.CreateKey, { accountId, ...settings }, WAIT);
  expect(key).toMatchObject({ ...settings, accountId, status: 'KEY_STATUS_ENABLED' });
  expect(await callUnary(client, client.GetKey, { accountId, id: key!.id }, WAIT)).toEqual(key);
  const { id: stranger } = await createAccount();
  await expect(
    callUnary(client, client.GetKey, { accountId: stranger, id: key!.id }, WAIT),
  ).rejects.toMatchObject(notFound);
  await expect(
    callUnary(client, client.CreateKey, { accountId, dailyLimitNano: '-1' }, WAIT),
  ).rejects.toMatchObject(invalid);
});

test('rejects a method that the calling service is not allowed to use', async () => {
  const { asEdge } = billing;
  await expect(callUnary(asEdge, asEdge.GetAccount, { id: 'x' }, WAIT)).rejects.toMatchObject({
    code: 'internal_error',
  });
});
