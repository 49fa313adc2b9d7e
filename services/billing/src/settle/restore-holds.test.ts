import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import type { UsageEvent } from '@gateway/proto/generated/gateway/billing/v1/UsageEvent';
import { createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { reserveRequest, TestBilling, usageEvent } from '../testing/test-billing';
import { parseUsageEvent } from './rules/usage-event';
import { restoreHolds } from './store/restore-holds';

let database: TestDatabase;
let billing: TestBilling;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  billing = await TestBilling.start(database.url);
  pool = createPool({ url: billing.databaseUrl, log: createLogger('test', 'silent') });
}, 60_000);
afterAll(async () => {
  expect(await billing.metric('ledger_drift_nano')).toBe(0);
  await pool?.end();
  await billing?.stop();
  await database?.drop();
}, 60_000);

const restore = (...events: UsageEvent[]) => restoreHolds(pool, events.map(parseUsageEvent));

describe('a hold restored from a usage event', () => {
  test('lets the event charge the call, once', async () => {
    const key = await billing.createFundedKey(1_000n);
    const event = usageEvent(reserveRequest(key, 400n), 123n);
    expect(await restore(event, event)).toBe(1);
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '1000', heldNano: '123' });
    await billing.deliver(event);
    expect(await restore(event)).toBe(0);
    await billing.deliver(event);
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '877', heldNano: '0' });
  });

  test('does not replace an open hold', async () => {
    const key = await billing.createFundedKey(1_000n);
    const call = reserveRequest(key, 400n);
    await billing.reserve(call);
    expect(await restore(usageEvent(call, 123n))).toBe(0);
    expect(await billing.account(key.accountId)).toMatchObject({ heldNano: '400' });
    await billing.deliver(usageEvent(call, 123n));
  });

  test('charges more than the balance, which may lack top-ups that were lost', async () => {
    const key = await billing.createFundedKey(100n);
    const event = usageEvent(reserveRequest(key, 400n), 400n);
    expect(await restore(event)).toBe(1);
    await billing.deliver(event);
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '-300', heldNano: '0' });
  });

  test('covers the possible cost beyond the charge, which is booked as an operator loss', async () => {
    const key = await billing.createFundedKey(1_000n);
    const event = usageEvent(reserveRequest(key, 400n), 100n, {
      lossReason: 'LOSS_REASON_USAGE_UNKNOWN',
      lossNano: '50',
    });
    expect(await restore(event)).toBe(1);
    await billing.deliver(event);
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '900', heldNano: '0' });
    const { rows } = await pool.query(
      'SELECT reason, amount_nano FROM billing.operator_losses WHERE request_id = $1',
      [event.requestId],
    );
    expect(rows).toEqual([{ reason: 'usage_unknown', amount_nano: 50n }]);
  });

  test("is not created for a release, an unknown account or another account's key", async () => {
    const [key, other] = [await billing.createFundedKey(1_000n), await billing.createFundedKey(1_000n)];
    const call = reserveRequest(key, 400n);
    expect(
      await restore(
        usageEvent(call, 0n, { outcome: 'USAGE_OUTCOME_RELEASED' }),
        usageEvent({ ...reserveRequest(key, 1n), accountId: 'unknown' }, 1n),
        usageEvent({ ...reserveRequest(key, 1n), keyId: other.keyId }, 1n),
        usageEvent({ ...reserveRequest(key, 1n), keyId: 'unknown' }, 1n),
      ),
    ).toBe(0);
    expect(await restore()).toBe(0);
  });
});
