import { randomUUID } from 'node:crypto';
import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { callUnary } from '@gateway/rpc';
import { createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { refusalOf, reserveRequest, summary, TestBilling, usageEvent, WAIT } from '../testing/test-billing';
import { limitAgain } from './store/abandoned-costs';
import { expireOrphanedHolds } from './store/expire-holds';
import { Sweeper } from './sweeper';

const GRACE = { callMs: 30 * 60_000, taskMs: 24 * 3_600_000 };

let database: TestDatabase;
let billing: TestBilling;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  billing = await TestBilling.start(database.url);
  pool = createPool({ url: database.url, log: createLogger('test', 'silent') });
}, 60_000);
afterAll(async () => {
  expect(await billing.metric('ledger_drift_nano')).toBe(0);
  await pool?.end();
  await billing?.stop();
  await database?.drop();
}, 60_000);

const lossOf = async (requestId: string | undefined) => {
  const { rows } = await pool.query(
    'SELECT coalesce(sum(amount_nano), 0)::bigint AS loss FROM billing.operator_losses WHERE request_id = $1',
    [requestId],
  );
  return rows[0].loss as bigint;
};
const stateOf = async (requestId: string | undefined) => {
  const { rows } = await pool.query('SELECT state FROM billing.holds WHERE request_id = $1', [requestId]);
  return rows[0]?.state as string | undefined;
};
const lettersLike = async (text: string) => {
  const { rows } = await pool.query(
    `SELECT reason FROM billing.dead_letters WHERE position($1::bytea IN payload) > 0`,
    [Buffer.from(text)],
  );
  return rows.map(({ reason }) => reason as string);
};
const ledgerOf = async (accountId: string) => {
  const { asDashboard: client } = billing;
  const { entries } = await callUnary(client, client.ListLedger, { accountId }, WAIT);
  return entries.map(({ kind, amountNano, reference }) => `${kind} ${amountNano} ${reference}`);
};

/** Reserves a call on a new funded key. */
async function held(
  balanceNano: bigint,
  holdNano: bigint,
  owner: { ownerId?: string; ownerEpoch?: string; makesTask?: boolean } = {},
) {
  const key = await billing.createFundedKey(balanceNano);
  const call = reserveRequest(key, holdNano, owner);
  expect(summary((await billing.reserve(call))[0]!)).toBe(`granted ${holdNano}`);
  return { key, call };
}

describe('settling a call', () => {
  test('charges it once, whatever repeated or contradictory events arrive', async () => {
    const { key, call } = await held(1_000n, 400n);
    await billing.deliver(usageEvent(call, 123n), usageEvent(call, 5n));
    await billing.deliver(usageEvent(call, 300n));
    await billing.deliver(usageEvent(call, 0n, { outcome: 'USAGE_OUTCOME_RELEASED' }));
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '877', heldNano: '0' });
    expect((await ledgerOf(key.accountId))[0]).toBe(`LEDGER_KIND_CHARGE -123 ${call.requestId}`);
    expect(await stateOf(call.requestId)).toBe('settled');
  });

  test('charges at most the hold and books the rest as an operator loss', async () => {
    const { key, call } = await held(1_000n, 400n);
    await billing.deliver(usageEvent(call, 450n));
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '600', heldNano: '0' });
    expect(await lossOf(call.requestId)).toBe(50n);
  });

  test('with a lost outcome charges nothing, books the hold as a loss, and ignores later events', async () => {
    const { key, call } = await held(1_000n, 400n);
    await billing.deliver(usageEvent(call, 0n, { outcome: 'USAGE_OUTCOME_LOST', tokens: null }));
    await billing.deliver(usageEvent(call, 300n));
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '1000', heldNano: '0' });
    expect(await lossOf(call.requestId)).toBe(400n);
    expect(await stateOf(call.requestId)).toBe('lost');
    const { rows } = await pool.query('SELECT outcome FROM billing.usage_records WHERE request_id = $1', [
      call.requestId,
    ]);
    expect(rows).toEqual([{ outcome: 'lost' }]);
  });

  test('stores a usage record with its figures', async () => {
    const { call } = await held(1_000n, 400n);
    const tokens = { input: '11', cacheRead: '22', cacheWrite: '33', output: '44', reasoning: '5' };
    await billing.deliver(
      usageEvent(call, 123n, {
        tokens,
        status: 502,
        errorCode: 'upstream_failed',
        streamed: true,
        startedAtMs: '1000',
        endedAtMs: '2500',
        images: 2,
        videoMs: '7500',
      }),
    );
    const { rows } = await pool.query('SELECT * FROM billing.usage_records WHERE request_id = $1', [
      call.requestId,
    ]);
    expect(rows[0]).toMatchObject({
      outcome: 'settled',
      status: 502,
      error_code: 'upstream_failed',
      cost_nano: 123n,
      charged_nano: 123n,
      input_tokens: 11n,
      cache_read_tokens: 22n,
      cache_write_tokens: 33n,
      output_tokens: 44n,
      images: 2n,
      video_ms: 7_500n,
      reasoning_tokens: 5n,
      streamed: true,
      usage_source: 'provider',
      started_at: new Date(1_000),
      ended_at: new Date(2_500),
    });
  });
});

/** The default of ABANDONED_COST_LIMIT_USD. */
const LIMIT_NANO = 1_000_000_000n;
const abandonedCost = (accountId: string) =>
  callUnary(billing.asDashboard, billing.asDashboard.GetAbandonedCost, { accountId }, WAIT);

describe('a call that its caller abandoned', () => {
  const abandonedEvent = (call: ReturnType<typeof reserveRequest>, lossNano: bigint) =>
    usageEvent(call, 0n, {
      outcome: 'USAGE_OUTCOME_RELEASED',
      tokens: null,
      lossReason: 'LOSS_REASON_ABANDONED',
      lossNano: String(lossNano),
    });
  test('is free and booked as an operator loss that is listed for its account', async () => {
    const { key, call } = await held(1_000n, 400n);
    const before = await billing.metric('operator_loss_by_reason_nano{reason="abandoned"}');
    await billing.deliver(abandonedEvent(call, 123n));
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '1000', heldNano: '0' });
    const { losses } = await callUnary(
      billing.asDashboard,
      billing.asDashboard.ListOperatorLosses,
      { accountId: key.accountId },
      WAIT,
    );
    expect(losses).toMatchObject([{ requestId: call.requestId, reason: 'abandoned', amountNano: '123' }]);
    expect(await abandonedCost(key.accountId)).toMatchObject({
      hourNano: '123',
      limitNano: String(LIMIT_NANO),
    });
    const after = await billing.metric('operator_loss_by_reason_nano{reason="abandoned"}');
    expect(after - (Number.isNaN(before) ? 0 : before)).toBe(123);
  });

  test('blocks new calls of the account while the abandoned cost of the last hour is above the limit', async () => {
    const { key, call: first } = await held(10n * LIMIT_NANO, LIMIT_NANO);
    const [second, third] = [reserveRequest(key, LIMIT_NANO), reserveRequest(key, LIMIT_NANO)];
    await billing.reserve(second, third);
    await billing.deliver(abandonedEvent(first, LIMIT_NANO));
    const next = reserveRequest(key, 1n);
    expect(summary((await billing.reserve(next))[0]!)).toBe('granted 1');

    // Moves the clock by 40 minutes, and then until the first loss is an hour old.
    const setClock = (ms: number) =>
      pool.query(
        `CREATE OR REPLACE FUNCTION billing.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
         AS $$ SELECT now() + interval '${ms} milliseconds' $$`,
      );
    const MINUTE_MS = 60_000;
    try {
      await setClock(40 * MINUTE_MS);
      await billing.deliver(abandonedEvent(second, 1n));
      const [refused] = await billing.reserve(reserveRequest(key, 1n));
      expect(refusalOf(refused!)).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 60 });
      expect((await abandonedCost(key.accountId)).limitedUntilMs).toBeDefined();
      // The repeat of a call that has its hold is still granted.
      expect(summary((await billing.reserve({ ...next, isNew: false }))[0]!)).toBe('granted 1');
      await setClock(59 * MINUTE_MS);
      expect(summary((await billing.reserve(reserveRequest(key, 1n)))[0]!)).toBe('rate_limited');
      await setClock(61 * MINUTE_MS);
      expect(summary((await billing.reserve(reserveRequest(key, 1n)))[0]!)).toBe('granted 1');
      expect(await abandonedCost(key.accountId)).toMatchObject({ hourNano: '1' });
    } finally {
      await setClock(0);
    }
  });
});

describe("an account's losses of an hour", () => {
  const lossReason = (reason: string) => ({ lossReason: `LOSS_REASON_${reason}`, lossNano: '300' });

  test.each<[string, bigint, object, string]>([
    [
      'unknown usage of a call whose client disconnected',
      100n,
      { status: 499, ...lossReason('USAGE_UNKNOWN') },
      '300',
    ],
    [
      'unknown usage of a call that its provider broke off: none',
      100n,
      { ...lossReason('USAGE_UNKNOWN') },
      '0',
    ],
    ['a cost above the hold', 450n, {}, '50'],
    ['what a call may have cost whose process was killed: none', 100n, lossReason('OWNER_KILLED'), '0'],
    ['a call that its provider lost: none', 0n, { outcome: 'USAGE_OUTCOME_LOST' }, '0'],
  ])('contain %s', async (_, costNano, event, hourNano) => {
    const { key, call } = await held(1_000n, 400n);
    await billing.deliver(usageEvent(call, costNano, event));
    expect((await abandonedCost(key.accountId)).hourNano).toBe(hourNano);
  });

  test('limit an account whose calls cost more than their holds', async () => {
    const { key, call } = await held(10n * LIMIT_NANO, 1n);
    await billing.deliver(usageEvent(call, LIMIT_NANO + 2n));
    expect(summary((await billing.reserve(reserveRequest(key, 1n)))[0]!)).toBe('rate_limited');
  });

  test('no longer limit an account once billing has started with a higher limit', async () => {
    const { key, call } = await held(10n * LIMIT_NANO, 1n);
    await billing.deliver(usageEvent(call, LIMIT_NANO + 2n));
    await limitAgain(pool, LIMIT_NANO);
    expect(summary((await billing.reserve(reserveRequest(key, 1n)))[0]!)).toBe('rate_limited');
    await limitAgain(pool, 2n * LIMIT_NANO);
    expect(summary((await billing.reserve(reserveRequest(key, 1n)))[0]!)).toBe('granted 1');
  });

  test('contain no expired hold, because an account cannot kill the process that has its calls', async () => {
    const { key, call } = await held(10n * LIMIT_NANO, 2n * LIMIT_NANO, { ownerId: 'expired-unlimited' });
    await billing.heartbeat('expired-unlimited', '1');
    await age(call.requestId);
    await silence('expired-unlimited');
    expect(await expireOrphanedHolds(pool, GRACE)).toBe(1);
    expect((await abandonedCost(key.accountId)).hourNano).toBe('0');
    expect(summary((await billing.reserve(reserveRequest(key, 1n)))[0]!)).toBe('granted 1');
  });
});

test('metrics report settlement lag and outcomes', async () => {
  const { call } = await held(1_000n, 400n);
  await billing.deliver(usageEvent(call, 1n, { endedAtMs: String(Date.now() - 5_000) }));
  expect(await billing.metric('settle_lag_seconds')).toBeGreaterThanOrEqual(5);
  expect(await billing.metric('billing_deliveries_total{outcome="applied"}')).toBeGreaterThanOrEqual(1);
  expect(await billing.metric('billing_reserve_replies_total{result="granted"}')).toBeGreaterThanOrEqual(1);
});

describe('dead letters', () => {
  test('hold events that cannot be settled, once and with the reason; other events are settled', async () => {
    const { key, call } = await held(1_000n, 400n);
    const other = await billing.createFundedKey(1_000n);
    const unknown = usageEvent(reserveRequest(key, 1n), 7n);
    const stolen = usageEvent({ ...reserveRequest(other, 1n), requestId: call.requestId }, 7n);
    const nowhere = usageEvent({ ...reserveRequest(key, 1n), accountId: 'acct_nobody' }, 7n);
    const broken = { ...unknown, requestId: 'not-a-uuid' };
    const noOutcome = usageEvent(reserveRequest(key, 1n), 7n, { outcome: 'USAGE_OUTCOME_UNSPECIFIED' });
    const events = [unknown, stolen, nowhere, broken, noOutcome, usageEvent(call, 123n)];
    await billing.deliver(...events);
    await billing.deliver(...events);
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '877', heldNano: '0' });
    expect(await lettersLike(unknown.requestId!)).toEqual(['unknown hold']);
    expect(await lettersLike('acct_nobody')).toEqual(['unknown account']);
    expect(await lettersLike(other.accountId)).toEqual(["another account's or key's hold"]);
    expect(await lettersLike('not-a-uuid')).toEqual(['malformed: requestId is not a UUID']);
    expect(await lettersLike(noOutcome.requestId!)).toEqual([expect.stringMatching(/^malformed: outcome/)]);
  });

  test('hold an event that the database rejects; the rest of the batch is settled', async () => {
    const { key, call } = await held(1_000n, 400n);
    const second = reserveRequest(key, 50n);
    await billing.reserve(second);
    await pool.query(
      `ALTER TABLE billing.usage_records ADD CONSTRAINT test_only CHECK (provider <> 'cursed')`,
    );
    try {
      await billing.deliver(usageEvent(call, 1n, { provider: 'cursed' }), usageEvent(second, 20n));
    } finally {
      await pool.query('ALTER TABLE billing.usage_records DROP CONSTRAINT test_only');
    }
    expect(await lettersLike(call.requestId)).toEqual([expect.stringMatching(/^refused by the database/)]);
    expect(await stateOf(call.requestId)).toBe('open');
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '980', heldNano: '400' });
    await billing.deliver(usageEvent(call, 1n));
  });
});

test('a release that arrives before its reservation prevents the hold', async () => {
  const key = await billing.createFundedKey(1_000n);
  const call = reserveRequest(key, 400n);
  await billing.deliver(usageEvent(call, 0n, { outcome: 'USAGE_OUTCOME_RELEASED' }));
  // The other calls of the batch are granted.
  const replies = await billing.reserve(reserveRequest(key, 1n), call, reserveRequest(key, 2n));
  expect(replies.map(summary)).toEqual(['granted 1', 'internal_error', 'granted 2']);
  expect(await billing.account(key.accountId)).toMatchObject({ heldNano: '3' });
  expect(await lettersLike(call.requestId)).toEqual([]);
});

const age = (requestId: string, by = '31 minutes') =>
  pool.query(`UPDATE billing.holds SET created_at = created_at - $2::interval WHERE request_id = $1`, [
    requestId,
    by,
  ]);
const silence = (ownerId: string, by = '31 minutes') =>
  pool.query(
    `UPDATE billing.owners SET last_seen = last_seen - $2::interval, epoch_since = epoch_since - $2::interval WHERE id = $1`,
    [ownerId, by],
  );

describe('closing a call whose reply is lost', () => {
  const close = ({ accountId, keyId }: { accountId: string; keyId: string }, requestId: string) => {
    const { asStorage: client } = billing;
    return callUnary(client, client.CloseCall, { accountId, keyId, requestId }, WAIT);
  };

  test('without a hold prevents one: nothing is charged for the call', async () => {
    const key = await billing.createFundedKey(1_000n);
    const call = reserveRequest(key, 400n);
    const ended = { state: 'CALL_END_STATE_ENDED', chargedNano: '0' };
    expect(await close(key, call.requestId)).toEqual(ended);
    expect(summary((await billing.reserve(call))[0]!)).toBe('internal_error');
    await billing.deliver(usageEvent(call, 300n));
    expect(await close(key, call.requestId)).toEqual(ended);
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '1000', heldNano: '0' });
  });

  test('with a hold leaves it open, and returns what was charged when it has ended', async () => {
    const { key, call } = await held(1_000n, 400n);
    expect(await close(key, call.requestId)).toMatchObject({ state: 'CALL_END_STATE_OPEN' });
    await billing.deliver(usageEvent(call, 123n));
    expect(await close(key, call.requestId)).toEqual({
      state: 'CALL_END_STATE_ENDED',
      chargedNano: '123',
    });
  });

  test('with an expired hold reports that, because a late event may still charge it', async () => {
    const { key, call } = await held(1_000n, 400n, { ownerId: 'late' });
    await billing.heartbeat('late', '1');
    await age(call.requestId);
    await silence('late');
    expect(await expireOrphanedHolds(pool, GRACE)).toBe(1);
    expect(await close(key, call.requestId)).toMatchObject({ state: 'CALL_END_STATE_EXPIRED' });
  });

  test('of another account returns nothing of it', async () => {
    const { call } = await held(1_000n, 400n);
    const other = await billing.createFundedKey(1n);
    await expect(close(other, call.requestId)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a hold whose owner is gone', () => {
  test('expires after the grace period; nothing is charged and the operator loses the hold amount', async () => {
    const { key, call } = await held(1_000n, 400n, { ownerId: 'gone' });
    await billing.heartbeat('gone', '1');
    await age(call.requestId);
    expect(await expireOrphanedHolds(pool, GRACE)).toBe(0);
    await silence('gone');
    expect(await billing.metric('holds_orphaned')).toBe(1);
    expect(await expireOrphanedHolds(pool, GRACE)).toBe(1);
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '1000', heldNano: '0' });
    expect(await lossOf(call.requestId)).toBe(400n);
    expect(summary((await billing.reserve(call))[0]!)).toBe('internal_error');
  });

  test('expires a day later if the call creates a task', async () => {
    const { call } = await held(1_000n, 400n, { ownerId: 'gone-with-a-task', makesTask: true });
    const { call: withoutTask } = await held(1_000n, 400n, { ownerId: 'gone-with-a-task' });
    await billing.heartbeat('gone-with-a-task', '1');
    await age(call.requestId);
    await age(withoutTask.requestId);
    await silence('gone-with-a-task');
    expect(await expireOrphanedHolds(pool, GRACE)).toBe(1);
    expect([await stateOf(call.requestId), await stateOf(withoutTask.requestId)]).toEqual([
      'open',
      'expired',
    ]);
    await age(call.requestId, '24 hours');
    expect(await expireOrphanedHolds(pool, GRACE)).toBe(0);
    await silence('gone-with-a-task', '24 hours');
    expect(await expireOrphanedHolds(pool, GRACE)).toBe(1);
    expect(await stateOf(call.requestId)).toBe('expired');
  });

  test('does not expire before the sweeper has run long enough to receive heartbeats', async () => {
    const { call } = await held(1_000n, 400n, { ownerId: 'no-heartbeat' });
    await billing.heartbeat('no-heartbeat', '1');
    await age(call.requestId);
    await silence('no-heartbeat');
    const clock = { nowMs: 0 };
    const log = createLogger('test', 'silent');
    const sweeper = new Sweeper({
      pool,
      grace: GRACE,
      log,
      now: () => clock.nowMs,
    });
    expect(await sweeper.run()).toBe(0);
    clock.nowMs = 59_999;
    expect(await sweeper.run()).toBe(0);
    expect(await stateOf(call.requestId)).toBe('open');
    clock.nowMs = 60_000;
    expect(await sweeper.run()).toBe(1);
    expect(await stateOf(call.requestId)).toBe('expired');
  });

  test('stays open while its owner sends heartbeats, and during the grace period of an unknown owner', async () => {
    const { call } = await held(1_000n, 400n, { ownerId: 'alive' });
    const { call: young } = await held(1_000n, 400n, { ownerId: 'never-seen' });
    await age(call.requestId);
    await billing.heartbeat('alive', '1');
    expect(await expireOrphanedHolds(pool, GRACE)).toBe(0);
    await age(young.requestId);
    expect(await expireOrphanedHolds(pool, GRACE)).toBe(1);
    expect(await stateOf(call.requestId)).toBe('open');
  });

  test('of an earlier epoch is listed for the later epoch, and expires if that does not end it', async () => {
    const { key, call } = await held(1_000n, 400n, { ownerId: 'restarted', ownerEpoch: '1' });
    await billing.reserve(reserveRequest(key, 5n, { ownerId: 'restarted', ownerEpoch: '2' }));
    await billing.heartbeat('restarted', '2');
    await billing.heartbeat('restarted', '1');
    const { asChat: client } = billing;
    const asked = { ownerId: 'restarted', beforeEpoch: '2', limit: 10 };
    expect((await callUnary(client, client.ListOpenHolds, asked, WAIT)).holds).toEqual([
      { requestId: call.requestId, accountId: key.accountId, keyId: key.keyId, model: 'sim/chat' },
    ]);
    await age(call.requestId);
    expect(await expireOrphanedHolds(pool, GRACE)).toBe(0);
    await silence('restarted');
    await billing.heartbeat('restarted', '2');
    expect(await expireOrphanedHolds(pool, GRACE)).toBe(1);
    expect(await stateOf(call.requestId)).toBe('expired');
    expect((await callUnary(client, client.ListOpenHolds, asked, WAIT)).holds).toEqual([]);
  });

  test.each([
    ['in full if the balance suffices', 0n, 250n, 250n, 0n],
    ['only the balance that other calls do not hold', 900n, 250n, 100n, 150n],
    ['at most the hold amount', 0n, 450n, 400n, 50n],
  ])(
    'is settled by a late usage event: charged %s',
    async (_, heldSinceNano, costNano, chargedNano, lossNano) => {
      const { key, call } = await held(1_000n, 400n, { ownerId: `late-${randomUUID()}` });
      await age(call.requestId);
      expect(await expireOrphanedHolds(pool, GRACE)).toBe(1);
      if (heldSinceNano > 0n) await billing.reserve(reserveRequest(key, heldSinceNano));
      await billing.deliver(usageEvent(call, costNano));
      await billing.deliver(usageEvent(call, costNano));
      expect(await billing.account(key.accountId)).toMatchObject({
        balanceNano: String(1_000n - chargedNano),
        heldNano: String(heldSinceNano),
      });
      expect(await lossOf(call.requestId)).toBe(lossNano);
      expect(await stateOf(call.requestId)).toBe('settled');
    },
  );

  test('stays a loss, booked once, when a late event reports a lost outcome', async () => {
    const { key, call } = await held(1_000n, 400n, { ownerId: 'late-lost' });
    await age(call.requestId);
    expect(await expireOrphanedHolds(pool, GRACE)).toBe(1);
    await billing.deliver(usageEvent(call, 0n, { outcome: 'USAGE_OUTCOME_LOST' }));
    await billing.deliver(usageEvent(call, 400n));
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '1000', heldNano: '0' });
    expect(await lossOf(call.requestId)).toBe(400n);
    expect(await stateOf(call.requestId)).toBe('lost');
  });

  test('is charged by a late event only as far as the daily cap allows', async () => {
    const key = await billing.createFundedKey(1_000n, { dailyLimitNano: '500' });
    const call = reserveRequest(key, 400n, { ownerId: 'late-capped' });
    await billing.reserve(call);
    await age(call.requestId);
    expect(await expireOrphanedHolds(pool, GRACE)).toBe(1);
    const since = reserveRequest(key, 450n);
    await billing.reserve(since);
    await billing.deliver(usageEvent(since, 450n));
    await billing.deliver(usageEvent(call, 400n));
    expect(await billing.account(key.accountId)).toMatchObject({ balanceNano: '500' });
    expect(await lossOf(call.requestId)).toBe(350n);
  });
});

test('the ledger rejects updates, deletes and truncation', async () => {
  for (const sql of [
    'UPDATE billing.ledger SET amount_nano = 1',
    'DELETE FROM billing.ledger',
    'TRUNCATE billing.ledger',
  ]) {
    await expect(pool.query(sql)).rejects.toThrow('takes inserts only');
  }
});
