import { randomUUIDv7 } from 'node:crypto';
import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { createServiceDatabase, createTestDatabase, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createAccount } from '../accounts/store/accounts';
import { insertKey } from '../keys/store/keys';
import { reconcile } from '../ledger/store/reconcile';
import { createTopup } from '../ledger/store/topups';
import type { CallToAdmit } from '../reserve/rules/admission';
import type { HoldDecision, RatedCall } from '../reserve/rules/reserver';
import { holdCalls } from '../reserve/store/hold-calls';
import { ACCOUNT_DAILY, KEY_LIMITS } from '../testing/money-model';
import {
  type AccountIds,
  type MoneyCore,
  type MoneyFigures,
  MoneyRun,
  newAccountIds,
  steps,
} from '../testing/money-run';
import { PureMoney } from '../testing/pure-money';
import { setClock } from '../testing/set-clock';
import { deliveryOfMessage } from './rules/delivery';
import { expireOrphanedHolds } from './store/expire-holds';
import { settleDeliveries } from './store/settle-deliveries';

const HEAVY = process.env.TEST_HEAVY !== undefined;

let database: TestDatabase;
let owner: Pool;
/** Uses the login of the service. */
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  const log = createLogger('test', 'silent');
  owner = createPool({ url: database.url, log, maxConnections: 1 });
  pool = createPool({ url: await createServiceDatabase('billing', database.url), log });
}, 60_000);
afterAll(async () => {
  await pool?.end();
  await owner?.end();
  await database?.drop();
}, 60_000);

/** One account in PostgreSQL. Runs share the database clock, so they are sequential. */
class PostgresMoney implements MoneyCore {
  readonly #ids: AccountIds;

  constructor(ids: AccountIds) {
    this.#ids = ids;
  }

  async start(): Promise<void> {
    const { accountId, keyIds } = this.#ids;
    await createAccount(pool, accountId, 'model');
    await pool.query('UPDATE billing.accounts SET daily_limit_nano = $2 WHERE id = $1', [
      accountId,
      ACCOUNT_DAILY,
    ]);
    for (const [i, { daily, monthly }] of KEY_LIMITS.entries()) {
      await insertKey(pool, {
        id: keyIds[i]!,
        accountId,
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
        bareModelNames: null,
        noFallbackModels: false,
        dropUnsupportedTools: false,
        detailedMessages: false,
        scopes: [],
        allowedIps: [],
        ownerLimits: [],
        holderIds: [],
      });
    }
  }

  async setClock(atMs: number): Promise<void> {
    await setClock(owner, new Date(atMs).toISOString());
  }

  async topup(amountNano: bigint): Promise<void> {
    const { accountId } = this.#ids;
    await createTopup(pool, { id: randomUUIDv7(), accountId, amountNano, cleared: true, reference: '' });
  }

  async reserve(calls: readonly CallToAdmit[]): Promise<string[]> {
    return holdCalls(pool, calls, Promise.resolve(calls.map(unrated)), (decisions) =>
      decisions.map(decisionOf),
    );
  }

  async expire(requestId: string): Promise<void> {
    // Expiry uses the test clock; created_at uses the real one.
    await pool.query(
      `UPDATE billing.holds SET created_at = billing.clock()
         - CASE WHEN request_id = $1 THEN interval '2 hours' ELSE interval '0' END
       WHERE state = 'open'`,
      [requestId],
    );
    expect(await expireOrphanedHolds(pool, { callMs: 3_600_000, taskMs: 3_600_000 })).toBe(1);
  }

  async deliver(events: readonly object[]): Promise<string[]> {
    const outcomes = await settleDeliveries(pool, events.map(deliveryOfMessage), 10n ** 18n);
    return outcomes.map(({ kind }) => kind);
  }

  async figures(): Promise<MoneyFigures> {
    expect((await reconcile(pool)).driftNano).toBe(0n);
    const { rows } = await pool.query(
      `SELECT balance_nano AS "balanceNano", held_nano AS "heldNano", (SELECT coalesce(sum(amount_nano), 0)::bigint
         FROM billing.operator_losses l WHERE l.account_id = a.id) AS "lossNano"
       FROM billing.accounts a WHERE id = $1`,
      [this.#ids.accountId],
    );
    return rows[0];
  }
}

const unrated = (call: CallToAdmit): RatedCall => ({
  call,
  limits: undefined,
  rates: { taken: true },
});

function decisionOf(decision: HoldDecision): string {
  if (decision.granted) return `granted ${decision.holdNano}`;
  return 'error' in decision ? decision.error.code : 'limits';
}

async function startPostgres(ids: AccountIds): Promise<PostgresMoney> {
  const core = new PostgresMoney(ids);
  await core.start();
  return core;
}

const CORES: [string, number, (ids: AccountIds) => MoneyCore | Promise<MoneyCore>][] = [
  ['the domain rules', HEAVY ? 50_000 : 500, ({ keyIds }) => new PureMoney(keyIds)],
  ['the PostgreSQL statements', HEAVY ? 1_000 : 20, startPostgres],
];

test.each(CORES)(
  '%s agree with the naive model for any sequence of operations',
  async (_name, numRuns, start) => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const ids = newAccountIds();
        await new MoneyRun(await start(ids), ids).run(all);
      }),
      { numRuns },
    );
  },
  900_000,
);

test('reconciliation reports drift in any stored figure', async () => {
  const ids = newAccountIds();
  await new MoneyRun(await startPostgres(ids), ids).run([
    { do: 'reserve', calls: [{ key: 0, boundNano: 10n, floorNano: 10n }] },
    { do: 'end', pick: 0, costNano: 5n, outcome: 'SETTLED', lossNano: 0n },
  ]);
  const drift = async () => (await reconcile(pool)).driftNano;
  expect(await drift()).toBe(0n);
  for (const sql of [
    'UPDATE billing.accounts SET balance_nano = balance_nano + $2 WHERE id = $1',
    'UPDATE billing.accounts SET held_nano = held_nano + $2 WHERE id = $1',
    `UPDATE billing.spend_windows SET held_nano = held_nano + $2 WHERE account_id = $1 AND kind = 'key_day'`,
    `UPDATE billing.spend_windows SET settled_nano = settled_nano + $2 WHERE account_id = $1 AND kind = 'key_month'`,
    `UPDATE billing.spend_windows SET settled_nano = settled_nano + $2 WHERE account_id = $1 AND kind = 'account_day'`,
  ]) {
    await pool.query(sql, [ids.accountId, 3]);
    expect(await drift()).toBe(3n);
    await pool.query(sql, [ids.accountId, -3]);
  }
  expect(await drift()).toBe(0n);
});
