import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceLogins } from '@gateway/local-stack';
import { createPool, withTransaction } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { createTestDatabase, type TestDatabase, until } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectChargedAsMetered } from './support/expect-charged';
import { postJson } from './support/http';
import { totalMeteredNano } from './support/ledger';
import { PGBOUNCER, type PgBouncer, startPgBouncer } from './support/pgbouncer';
import { type System, startSystem } from './support/system';
import { startTraffic } from './support/traffic';

const CALLS = 150;
const WIDTH = 24;
/** Notifications that are lost would delay it until the key's cache entry expires. */
const REVOKED_WITHIN_MS = 3_000;
/** Fewer than billing's pools have, so that they share connections. */
const POOL_SIZE = 3;

const withPgBouncer = PGBOUNCER ? describe : describe.skip;

withPgBouncer('through a PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let pgbouncer: PgBouncer;
  let system: System;
  beforeAll(async () => {
    database = await createTestDatabase();
    const logins = await serviceLogins(database.url, 'a secret for tests only');
    const folder = mkdtempSync(join(tmpdir(), 'gateway-pgbouncer-'));
    chmodSync(folder, 0o755);
    pgbouncer = await startPgBouncer(folder, [database.url, ...Object.values(logins)], POOL_SIZE);
    const pooled = Object.entries(logins).map(([service, url]) => [service, pgbouncer.urlOf(url)]);
    system = await startSystem({
      engines: { databaseUrl: database.url, serviceDatabaseUrls: Object.fromEntries(pooled) },
      settings: {
        billing: { DATABASE_DIRECT_URL: logins.billing },
        catalog: { DATABASE_DIRECT_URL: logins.catalog },
      },
    });
  }, 90_000);
  afterAll(async () => {
    await system?.stop();
    await pgbouncer?.stop();
    await database?.drop();
  }, 60_000);

  test('every call is charged once, and a revoked key is refused', async () => {
    const customer = await system.provision();
    const traffic = startTraffic(system, customer, WIDTH);
    await until(async () => (await system.meter({ limit: 1 })).calls >= CALLS, 60_000);
    const calls = await traffic.stop();
    expect(calls.filter(({ answered }) => !answered)).toEqual([]);
    await system.settled(customer);
    const { balanceNano } = await expectChargedAsMetered(system, customer, calls);
    expect(balanceNano).toBe(10_000_000_000n - (await totalMeteredNano(system)));
    await until(async () => (await system.drift()) === 0);

    await system.dashboard.call(
      'POST',
      `admin/keys/${customer.keyId}/revoke`,
      await system.operatorToken(),
      {},
    );
    await until(async () => {
      const answer = await postJson(
        `${system.stack.apiUrl}/v1/chat/completions`,
        { model: 'sim/chat', messages: [{ role: 'user', content: 'too late' }] },
        customer.apiKey,
      );
      return answer.status === 401;
    }, REVOKED_WITHIN_MS);
  }, 120_000);

  test('a URL without pgbouncer=true is refused instead of losing its settings', async () => {
    const url = pgbouncer.urlOf(database.url).replace('?pgbouncer=true', '');
    const pool = createPool({ url, log: createLogger('test', 'silent'), maxConnections: 1 });
    await expect(pool.query('SELECT 1')).rejects.toThrow('unsupported startup parameter');
    await pool.end();
  });

  test('each transaction has the settings of its pool, and leaves none to others on the same connection', async () => {
    const log = createLogger('test', 'silent');
    const url = pgbouncer.urlOf(database.url);
    const money = createPool({ url, log, maxConnections: 1, statementTimeoutMs: 4_000, indexesOnly: true });
    const lists = createPool({
      url,
      log,
      maxConnections: 1,
      statementTimeoutMs: 2_000,
      planPerExecution: true,
    });
    const settings = `SELECT current_setting('statement_timeout') AS timeout, current_setting('enable_seqscan') AS seqscan,
      current_setting('plan_cache_mode') AS plans`;
    const ofMoney = { timeout: '4s', seqscan: 'off', plans: 'auto' };
    const ofLists = { timeout: '2s', seqscan: 'on', plans: 'force_custom_plan' };
    try {
      for (let round = 0; round < 5; round++) {
        expect((await money.query(settings)).rows).toEqual([ofMoney]);
        expect((await lists.query(settings)).rows).toEqual([ofLists]);
        const inTransaction = await withTransaction(money, (client) => client.query(settings));
        expect(inTransaction.rows).toEqual([ofMoney]);
      }
    } finally {
      await Promise.all([money.end(), lists.end()]);
    }
  });
});
