import { callUnary } from '@gateway/rpc';
import { createTestDatabase, TcpProxy, type TestDatabase, until } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { reserveRequest, summary, TestBilling, usageEvent, WAIT } from '../testing/test-billing';

let database: TestDatabase;
let proxy: TcpProxy;
/** Reaches the database through the proxy; `direct` does not. */
let billing: TestBilling;
let direct: TestBilling;
beforeAll(async () => {
  database = await createTestDatabase();
  const url = new URL(database.url);
  proxy = await TcpProxy.start({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  direct = await TestBilling.start(database.url);
  billing = await TestBilling.start(url.href);
}, 60_000);
afterAll(async () => {
  expect(await direct.metric('ledger_drift_nano')).toBe(0);
  await Promise.all([billing?.stop(), direct?.stop()]);
  await proxy?.stop();
  await database?.drop();
}, 60_000);

describe('a commit whose reply is lost', () => {
  test('creates one hold, and the call is granted', async () => {
    const key = await direct.createFundedKey(150n);
    for (let round = 1; round <= 10; round++) {
      proxy.swallowReplyTo('COMMIT\0');
      const replies = await billing.reserve(reserveRequest(key, 10n), reserveRequest(key, 5n));
      // Also in the last round, where the hold itself uses up the balance.
      expect(replies.map(summary)).toEqual(['granted 10', 'granted 5']);
      expect(proxy.swallowed).toBe(round);
      expect((await direct.account(key.accountId)).heldNano).toBe(String(15 * round));
    }
  });

  test('settles the call once', async () => {
    const key = await direct.createFundedKey(1_000n);
    const call = reserveRequest(key, 400n);
    await billing.reserve(call);
    const before = proxy.swallowed;
    proxy.swallowReplyTo('COMMIT\0');
    await billing.deliver(usageEvent(call, 123n));
    expect(proxy.swallowed).toBe(before + 1);
    expect(await direct.account(key.accountId)).toMatchObject({ balanceNano: '877', heldNano: '0' });
  });

  test('settles the call once if the connection stays open without an answer', async () => {
    const key = await direct.createFundedKey(1_000n);
    const call = reserveRequest(key, 400n);
    await billing.reserve(call);
    proxy.swallowReplyTo('COMMIT\0', { keepOpen: true });
    await billing.deliver(usageEvent(call, 123n));
    expect(await direct.account(key.accountId)).toMatchObject({ balanceNano: '877', heldNano: '0' });
  });

  test('credits a top-up once when its request is repeated', async () => {
    const { accountId } = await direct.createFundedKey(0n);
    const topup = {
      id: `top-${accountId}`,
      accountId,
      amountNano: '70',
      status: 'TOPUP_STATUS_CLEARED',
    } as const;
    const create = () => callUnary(billing.asDashboard, billing.asDashboard.CreateTopup, topup, WAIT);
    proxy.swallowReplyTo('COMMIT\0');
    await expect(create()).rejects.toMatchObject({ code: 'internal_error' });
    await create();
    expect((await direct.account(accountId)).balanceNano).toBe('70');
  });
});

test('calls succeed after idle database connections are cut', async () => {
  const key = await direct.createFundedKey(1_000n);
  for (let round = 0; round < 5; round++) {
    proxy.cut();
    expect(summary((await billing.reserve(reserveRequest(key, 10n)))[0]!)).toBe('granted 10');
  }
});

test('an instance that freezes while it holds an account lock does not fail calls on another instance', async () => {
  const key = await direct.createFundedKey(1_000n);
  const frozen = reserveRequest(key, 10n);
  proxy.stallAfter('lock-account');
  const lost = billing.reserve(frozen);
  await until(() => proxy.stalled);
  expect(summary((await direct.reserve(reserveRequest(key, 10n)))[0]!)).toBe('granted 10');
  proxy.pass();
  // The database ended the frozen transaction; the retry may have succeeded in time.
  expect(['internal_error', 'granted 10']).toContain(summary((await lost)[0]!));
  await direct.deliver(usageEvent(frozen, 0n, { outcome: 'USAGE_OUTCOME_RELEASED' }));
}, 30_000);

test('when the database does not respond, calls are refused in time and key watchers are disconnected', async () => {
  const key = await direct.createFundedKey(1_000n);
  const watching = billing.asEdge.WatchKeys({});
  const watch = { up: false, over: false };
  watching.on('metadata', () => {
    watch.up = true;
  });
  watching.on('data', () => {});
  for (const event of ['end', 'error']) {
    watching.on(event, () => {
      watch.over = true;
    });
  }
  await until(async () => (await billing.ready()) === 'ok');
  await until(() => watch.up);
  proxy.stall();
  const startedAtMs = performance.now();
  const call = reserveRequest(key, 10n);
  const replies = await billing.reserve(call, reserveRequest(key, 10n));
  expect(replies.map(summary)).toEqual(['internal_error', 'internal_error']);
  expect(performance.now() - startedAtMs).toBeLessThan(6_000);
  expect(await billing.ready()).toMatch(/^not ready: database/);
  await until(() => watch.over);

  // The other instance is not affected, and this one recovers.
  expect(summary((await direct.reserve(reserveRequest(key, 10n)))[0]!)).toBe('granted 10');
  proxy.pass();
  await until(async () => (await billing.ready()) === 'ok', 20_000);
  await until(
    async () => summary((await billing.reserve(reserveRequest(key, 1n)))[0]!) === 'granted 1',
    20_000,
  );
  await billing.deliver(usageEvent(call, 0n, { outcome: 'USAGE_OUTCOME_RELEASED' }));
}, 60_000);
