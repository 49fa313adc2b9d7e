import { createLogger } from '@gateway/process';
import { createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startBilling } from './server';
import { reserveRequest, summary, TestBilling, usageEvent } from './testing/test-billing';

let database: TestDatabase;
let billing: TestBilling;
beforeAll(async () => {
  database = await createTestDatabase();
  billing = await TestBilling.start(database.url);
}, 60_000);
afterAll(async () => {
  await billing?.stop();
  await database?.drop();
}, 60_000);

describe('a call', () => {
  test('is held at its cost bound and charged its actual cost', async () => {
    const key = await billing.createFundedKey(1_000n);
    const call = reserveRequest(key, 400n);
    const [reply] = await billing.reserve(call);
    expect(summary(reply!)).toBe('granted 400');
    expect(reply!.grant!.grantedTokens).toBe('100');
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '1000', heldNano: '400' });

    await billing.deliver(usageEvent(call, 123n));
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '877', heldNano: '0' });
    expect(await billing.metric('ledger_drift_nano')).toBe(0);
  });

  test('that was released costs nothing', async () => {
    const key = await billing.createFundedKey(1_000n);
    const call = reserveRequest(key, 400n);
    await billing.reserve(call);
    await billing.deliver(usageEvent(call, 0n, { outcome: 'USAGE_OUTCOME_RELEASED' }));
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '1000', heldNano: '0' });
    expect(await billing.metric('ledger_drift_nano')).toBe(0);
  });
});

test('reports ready', async () => {
  expect(await billing.ready()).toBe('ok');
});

describe('while Redis is not available', () => {
  test('refuses keys with an RPM or TPM limit when Redis is not configured', async () => {
    const limited = await billing.createFundedKey(10n, { tpmLimit: '1000' });
    expect(summary((await billing.reserve(reserveRequest(limited, 10n)))[0]!)).toBe('internal_error');
  });

  test('is not ready, but starts, serves keys without rate limits and stops', async () => {
    const waiting = await TestBilling.start(database.url, { REDIS_URL: 'redis://127.0.0.1:1' });
    try {
      expect(await waiting.ready()).toBe('not ready: redis');
      const key = await waiting.createFundedKey(10n);
      expect(summary((await waiting.reserve(reserveRequest(key, 10n)))[0]!)).toBe('granted 10');
      const limited = await waiting.createFundedKey(10n, { rpmLimit: '1' });
      expect(summary((await waiting.reserve(reserveRequest(limited, 10n)))[0]!)).toBe('internal_error');
    } finally {
      await waiting.stop();
    }
  });
});

test('reports all missing and invalid settings at once', async () => {
  const log = createLogger('test', 'silent');
  await expect(startBilling({ KEY_PEPPER: 'short', SWEEP_INTERVAL_MS: '0' }, log)).rejects.toThrow(
    /DATABASE_URL[\s\S]*KEY_PEPPER[\s\S]*SWEEP_INTERVAL_MS/,
  );
});
