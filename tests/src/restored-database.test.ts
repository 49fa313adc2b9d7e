import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  makeServerFolder,
  POSTGRES_TOOLS,
  PostgresCluster,
  type PostgresServer,
  runAsServer,
  until,
} from '@gateway/testing';
import { afterAll, expect, test } from '@jest/globals';
import { ENGINES, realEngines } from './support/engines';
import { expectChargedAsMetered } from './support/expect-charged';
import { postJson } from './support/http';
import { nano, readLedger } from './support/ledger';
import { type Customer, type System, startSystem } from './support/system';
import { withConcurrency } from './support/with-concurrency';

const ROOT = join(__dirname, '../..');
const BALANCE_USD = 50;
const CALLS = 30;
const SERVICES = ['edge', 'dashboard', 'chat', 'storage', 'media', 'billing', 'catalog'] as const;

/** Events are replayed from Kafka. */
const withKafka = ENGINES === 'real' && POSTGRES_TOOLS ? test : test.skip;

const runFile = promisify(execFile);

let cluster: PostgresCluster;
let system: System;
afterAll(async () => {
  await system?.stop();
  await cluster?.remove();
}, 60_000);

withKafka(
  'a database restored to a point in time is charged every call again once, by replaying Kafka',
  async () => {
    cluster = new PostgresCluster();
    // The server's user may not enter the checkout.
    const scripts = makeServerFolder(join(cluster.folder, 'scripts'));
    cpSync(join(ROOT, 'deploy/postgres'), scripts, { recursive: true });
    const archive = makeServerFolder(join(cluster.folder, 'wal'));
    const backups = makeServerFolder(join(cluster.folder, 'base'));
    const primary = await cluster.create({
      archive_mode: 'on',
      archive_command: `WAL_ARCHIVE=${archive} ${scripts}/archive-wal.sh "%p" "%f"`,
    });
    system = await startSystem({ engines: { databaseUrl: primary.url }, autoRestart: false });
    const customer = await system.provision({ balanceUsd: BALANCE_USD });

    const requestIds = await call(customer, CALLS);
    const env = { ...process.env, PATH: `${POSTGRES_TOOLS}:${process.env.PATH}`, WAL_ARCHIVE: archive };
    const made = await runAsServer(join(scripts, 'base-backup.sh'), [], {
      ...env,
      DATABASE_URL: primary.url,
      BACKUPS: backups,
    });
    requestIds.push(...(await call(customer, CALLS)));
    const [before] = await primary.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    const since = new Date().toISOString();
    const atRestorePoint = await readLedger(system, customer);
    requestIds.push(...(await call(customer, CALLS)));
    // What the restored database does not know at all.
    const later = await system.provision();
    const lost = await call(later, 1);
    const expected = await readLedger(system, customer);
    await archiveAll(primary);

    for (const service of SERVICES) await system.stack.kill(service);
    await primary.kill('SIGKILL');
    const restored = await cluster.allocate(primary.port);
    await runAsServer(join(scripts, 'restore.sh'), [made.trim(), restored.data, before!.now], env);
    await restored.start();
    await until(async () => (await restored.query('SELECT 1 WHERE NOT pg_is_in_recovery()')).length === 1);
    const balance = () => balanceOf(restored, customer);
    expect(await balance()).toBe(atRestorePoint.balanceNano);

    expect(await replay(restored, since)).toMatchObject({
      restoredHolds: CALLS,
      applied: CALLS,
      duplicate: 2 * CALLS,
      dead: 1,
    });
    expect(await balance()).toBe(expected.balanceNano);
    expect(await replay(restored, since)).toMatchObject({
      restoredHolds: 0,
      applied: 0,
      duplicate: 3 * CALLS,
    });

    for (const service of [...SERVICES].reverse()) await system.stack.restart(service);
    await system.stack.ready();
    const calls = requestIds.map((requestId) => ({ requestId }));
    const { balanceNano, charges } = await expectChargedAsMetered(system, customer, calls);
    expect(balanceNano).toBe(expected.balanceNano);
    expect([...charges.keys()].sort()).toEqual([...requestIds].sort());
    const chargedNano = [...charges.values()].reduce((sum, charge) => sum + charge, 0n);
    expect(nano(BALANCE_USD) - chargedNano).toBe(balanceNano);
    await until(async () => (await system.drift()) === 0);
    expect(await system.metric('billing', 'holds_orphaned')).toBe(0);
    // The call of the account that was created after the restore point is visible.
    const letters = await restored.query<{ reason: string; payload: string }>(
      "SELECT reason, convert_from(payload, 'UTF8') AS payload FROM billing.dead_letters",
    );
    expect(letters).toEqual([{ reason: 'unknown account', payload: expect.stringContaining(lost[0]!) }]);
    await call(customer, 1);
  },
  180_000,
);

/** Makes calls, waits until they are settled, and returns their ids. */
async function call(customer: Customer, count: number): Promise<string[]> {
  const ids: string[] = [];
  await withConcurrency(8, Array(count).keys(), async (turn) => {
    const answer = await postJson(
      `${system.stack.apiUrl}/v1/chat/completions`,
      { model: 'sim/chat', messages: [{ role: 'user', content: `call ${turn}` }] },
      customer.apiKey,
    );
    expect(answer.status).toBe(200);
    ids.push(`${answer.headers['x-request-id']}`);
  });
  await system.settled(customer, 30_000);
  return ids;
}

async function archiveAll(server: PostgresServer): Promise<void> {
  const [segment] = await server.query<{ name: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS name');
  await until(async () => {
    const [found] = await server.query<{ done: boolean }>(
      `SELECT last_archived_wal >= '${segment!.name}' AS done FROM pg_stat_archiver`,
    );
    return found?.done === true;
  });
}

async function balanceOf(server: PostgresServer, { id }: Customer): Promise<bigint> {
  const [account] = await server.query<{ balance_nano: string }>(
    `SELECT balance_nano FROM billing.accounts WHERE id = '${id}'`,
  );
  return BigInt(account!.balance_nano);
}

/** Runs billing's replay and returns what it logs. */
async function replay(server: PostgresServer, since: string): Promise<object> {
  const { stdout } = await runFile(
    process.execPath,
    [join(ROOT, 'services/billing/dist/replay.js'), '--since', since],
    {
      env: {
        ...process.env,
        DATABASE_URL: server.url,
        KAFKA_BROKERS: realEngines().kafkaBrokers,
        KAFKA_TOPIC_PREFIX: system.topicPrefix,
      },
      timeout: 90_000,
    },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1)!);
}
