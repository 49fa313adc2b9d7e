import { randomUUIDv7 } from 'node:crypto';
import { createLogger, createPool, migrate, type Pool } from '@gateway/runtime';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../../deploy/local/src/testing/test-database';
import type { CallToAdmit } from './domain/admission';
import { deliveryOfMessage } from './domain/delivery';
import { minBigint } from './domain/int8';
import type { HoldDecision, RatedCall } from './domain/reserver';
import { createAccount } from './store/accounts';
import { expireAbandonedHolds } from './store/expire-holds';
import { holdCalls } from './store/hold-calls';
import { insertKey } from './store/keys';
import { reconcile } from './store/reconcile';
import { settleDeliveries } from './store/settle-deliveries';
import { createTopup } from './store/topups';
import { ACCOUNT_DAILY, KEY_LIMITS, Model } from './testing/money-model';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  const log = createLogger('test', 'silent');
  pool = createPool({ url: database.url, log, pipeline: true });
  await migrate({ pool, schema: 'billing', directory: `${__dirname}/../migrations`, log });
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await database?.drop();
}, 60_000);

type Step =
  | { readonly do: 'reserve'; readonly key: number; readonly boundNano: bigint; readonly floorNano: bigint }
  | { readonly do: 'repeat'; readonly pick: number }
  | { readonly do: 'expire'; readonly pick: number }
  | { readonly do: 'end'; readonly pick: number; readonly costNano: bigint; readonly released: boolean }
  | { readonly do: 'topup'; readonly amountNano: bigint }
  | { readonly do: 'day'; readonly ahead: number };

const unrated = (call: CallToAdmit): RatedCall => ({
  call,
  terms: undefined,
  rates: { taken: true, grantedTokens: call.boundTokens },
});

function decisionOf(decision: HoldDecision): string {
  if (decision.granted) return `granted ${decision.holdNano}`;
  return 'error' in decision ? decision.error.code : 'terms';
}

const nano = (max: bigint) => fc.bigInt(0n, max);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('reserve' as const),
      key: fc.nat(1),
      boundNano: nano(400n),
      floorNano: nano(400n),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('repeat' as const, 'expire' as const), pick: fc.nat() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      pick: fc.nat(),
      costNano: nano(450n),
      released: fc.boolean(),
    }),
  },
  {
    weight: 1,
    // Back by one as well: a clock that was set back finds its day as it left it.
    arbitrary: fc.record({ do: fc.constant('day' as const), ahead: fc.constantFrom(-1, 1, 1, 28, 31) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('topup' as const), amountNano: fc.bigInt(1n, 500n) }) },
);

/** Drives the database and the model with the same steps. */
class Run {
  readonly model = new Model();
  readonly accountId = `acct_${randomUUIDv7()}`;
  readonly keyIds = KEY_LIMITS.map(() => `key_${randomUUIDv7()}`);
  #atMs = Date.UTC(2028, 1, 28, 12);

  async start(): Promise<void> {
    await this.move(0);
    await createAccount(pool, this.accountId, 'model');
    await pool.query('UPDATE billing.accounts SET daily_limit_nano = $2 WHERE id = $1', [
      this.accountId,
      ACCOUNT_DAILY,
    ]);
    for (const [i, { daily, monthly }] of KEY_LIMITS.entries()) {
      await insertKey(pool, {
        id: this.keyIds[i]!,
        accountId: this.accountId,
        name: '',
        mac: Buffer.from(randomUUIDv7()),
        hint: '',
        expiresAtMs: null,
        allowedModels: [],
        dailyLimitNano: daily,
        monthlyLimitNano: monthly,
        requestCostLimitNano: null,
        rpmLimit: null,
        tpmLimit: null,
      });
    }
    await this.topup(1_000n);
  }

  get day(): string {
    return new Date(this.#atMs).toISOString().slice(0, 10);
  }

  /** Moves the clock of windows. */
  async move(days: number): Promise<void> {
    this.#atMs += days * 86_400_000;
    await pool.query(
      `CREATE OR REPLACE FUNCTION billing.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
       AS $$ SELECT '${new Date(this.#atMs).toISOString()}'::timestamptz $$`,
    );
  }

  async topup(amountNano: bigint): Promise<void> {
    await createTopup(pool, { id: randomUUIDv7(), accountId: this.accountId, amountNano, cleared: true });
    this.model.balanceNano += amountNano;
  }

  async reserve(key: number, boundNano: bigint, floorNano: bigint): Promise<void> {
    const floor = floorNano < boundNano ? floorNano : boundNano;
    const call: CallToAdmit = {
      requestId: randomUUIDv7(),
      accountId: this.accountId,
      keyId: this.keyIds[key]!,
      model: 'sim/chat',
      ownerId: this.accountId,
      ownerEpoch: 1n,
      boundNano,
      floorNano: floor,
      boundTokens: 0n,
      floorTokens: 0n,
      free: false,
      callerNamedMaximum: false,
    };
    const expected = this.model.expected(this.day, key, boundNano, floor);
    const [decision] = await holdCalls(pool, [unrated(call)]);
    expect(decisionOf(decision!)).toBe(expected);
    if (!decision!.granted) return;
    const { holdNano } = decision!;
    this.model.calls.push({ call, key, holdNano, day: this.day, state: 'open', chargedNano: 0n });
  }

  pick(index: number) {
    return this.model.calls[index % Math.max(1, this.model.calls.length)];
  }

  async repeat(index: number): Promise<void> {
    const known = this.pick(index);
    if (!known) return;
    const [decision] = await holdCalls(pool, [unrated(known.call)]);
    expect(decision!.granted && decision!.holdNano).toBe(known.state === 'open' && known.holdNano);
  }

  async expire(index: number): Promise<void> {
    const known = this.pick(index);
    if (known?.state !== 'open') return;
    // Expiry goes by the moved clock, what writes the rows does not.
    await pool.query(
      `UPDATE billing.holds SET created_at = billing.clock()
         - CASE WHEN request_id = $1 THEN interval '2 hours' ELSE interval '0' END
       WHERE state = 'open'`,
      [known.call.requestId],
    );
    expect(await expireAbandonedHolds(pool, 3_600_000)).toBe(1);
    known.state = 'expired';
  }

  async end(index: number, costNano: bigint, released: boolean): Promise<void> {
    const known = this.pick(index);
    if (!known) return;
    const { requestId, accountId, keyId } = known.call;
    const outcome = released ? 'USAGE_OUTCOME_RELEASED' : 'USAGE_OUTCOME_SETTLED';
    const event = { requestId, accountId, keyId, outcome, costNano: String(costNano) };
    const outcomes = await settleDeliveries(pool, [deliveryOfMessage(event), deliveryOfMessage(event)]);
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      known.state === 'over' ? 'duplicate' : 'applied',
      'duplicate',
    ]);
    if (known.state === 'over') return;
    const limits = [known.holdNano];
    if (known.state === 'expired') limits.push(this.model.least(known.day, known.key));
    const charged = minBigint(released ? 0n : costNano, ...limits);
    known.chargedNano = charged > 0n ? charged : 0n;
    known.state = 'over';
    this.model.balanceNano -= known.chargedNano;
  }

  async check(): Promise<void> {
    const { rows } = await pool.query('SELECT balance_nano, held_nano FROM billing.accounts WHERE id = $1', [
      this.accountId,
    ]);
    expect(rows[0]).toEqual({ balance_nano: this.model.balanceNano, held_nano: this.model.held() });
    expect((await reconcile(pool)).driftNano).toBe(0n);
    expect(this.model.balanceNano).toBeGreaterThanOrEqual(this.model.held());
    for (const { day } of this.model.calls) {
      expect(this.model.used(day)).toBeLessThanOrEqual(ACCOUNT_DAILY);
      for (const [key, { daily, monthly }] of KEY_LIMITS.entries()) {
        if (daily !== null) expect(this.model.used(day, key)).toBeLessThanOrEqual(daily);
        if (monthly !== null) expect(this.model.used(day.slice(0, 7), key)).toBeLessThanOrEqual(monthly);
      }
    }
  }

  apply(one: Step): Promise<void> {
    if (one.do === 'reserve') return this.reserve(one.key, one.boundNano, one.floorNano);
    if (one.do === 'repeat') return this.repeat(one.pick);
    if (one.do === 'expire') return this.expire(one.pick);
    if (one.do === 'day') return this.move(one.ahead);
    if (one.do === 'end') return this.end(one.pick, one.costNano, one.released);
    return this.topup(one.amountNano);
  }
}

test('Postgres does what the model does, whatever the order of steps', async () => {
  const seed = process.env.FAST_CHECK_SEED ? Number(process.env.FAST_CHECK_SEED) : Date.now() % 2 ** 31;
  process.stdout.write(`money: FAST_CHECK_SEED=${seed}\n`);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), async (steps) => {
      const run = new Run();
      await run.start();
      for (const one of steps) await run.apply(one);
      await run.check();
    }),
    { numRuns: process.env.TEST_HEAVY === undefined ? 40 : 1_000, seed },
  );
}, 900_000);

test('drift is seen wherever a figure leaves its rows', async () => {
  const run = new Run();
  await run.start();
  await run.reserve(0, 10n, 10n);
  await run.end(0, 5n, false);
  const drift = async () => (await reconcile(pool)).driftNano;
  expect(await drift()).toBe(0n);
  for (const sql of [
    'UPDATE billing.accounts SET balance_nano = balance_nano + $2 WHERE id = $1',
    'UPDATE billing.accounts SET held_nano = held_nano + $2 WHERE id = $1',
    `UPDATE billing.spend_windows SET held_nano = held_nano + $2 WHERE account_id = $1 AND kind = 'key_day'`,
    `UPDATE billing.spend_windows SET settled_nano = settled_nano + $2 WHERE account_id = $1 AND kind = 'key_month'`,
    `UPDATE billing.spend_windows SET settled_nano = settled_nano + $2 WHERE account_id = $1 AND kind = 'account_day'`,
  ]) {
    await pool.query(sql, [run.accountId, 3]);
    expect(await drift()).toBe(3n);
    await pool.query(sql, [run.accountId, -3]);
  }
  expect(await drift()).toBe(0n);
});
