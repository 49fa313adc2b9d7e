import { POSTGRES_TOOLS, PostgresCluster, type PostgresServer, runTool, until } from '@gateway/testing';
import { afterEach, expect, test } from '@jest/globals';
import { expectChargedAsMetered, untilServed } from './support/expect-charged';
import { totalMeteredNano } from './support/ledger';
import { type Customer, type System, startSystem } from './support/system';
import { startTraffic, type TrafficCall } from './support/traffic';

const WIDTH = 24;
/** From the loss of the primary to the first call that succeeds. */
const FAILOVER_WITHIN_MS = 30_000;
const RECOVERED_WITHIN_MS = 60_000;
/** How the primary is lost: its process is gone, or it is frozen and its connections stay open. */
const LOSSES = process.env.TEST_HEAVY ? (['SIGKILL', 'SIGSTOP'] as const) : (['SIGKILL'] as const);

const withTools = POSTGRES_TOOLS ? test.each(LOSSES) : test.skip.each(LOSSES);

let cluster: PostgresCluster;
let primary: PostgresServer;
let standby: PostgresServer;
let system: System;

async function start(): Promise<Customer> {
  cluster = new PostgresCluster();
  ({ primary, standby } = await cluster.createSynchronousPair());
  const servers = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
  system = await startSystem({
    engines: { databaseUrl: primary.url.replace(`127.0.0.1:${primary.port}`, servers) },
  });
  return system.provision({ balanceUsd: 100 });
}

afterEach(async () => {
  await system?.stop();
  await cluster?.remove();
}, 60_000);

withTools(
  'calls continue on the promoted standby, each charged once, after the primary is lost by %s under traffic',
  async (signal) => {
    const customer = await start();
    const traffic = startTraffic(system, customer, WIDTH);
    await untilServed(system, 2 * WIDTH);

    const lostAtMs = performance.now();
    await primary.kill(signal);
    await runTool('pg_ctl', ['promote', '-D', standby.data]);
    const promotedAtMs = performance.now();
    await until(
      async () => (await system.dashboard.balance(customer.token).catch(() => undefined)) !== undefined,
      FAILOVER_WITHIN_MS,
    );
    await untilServed(system, 2 * WIDTH, FAILOVER_WITHIN_MS);
    const servedAtMs = performance.now();
    await untilServed(system, 4 * WIDTH, FAILOVER_WITHIN_MS);
    const calls = await traffic.stop();
    await primary.kill('SIGKILL');

    await until(
      async () => (await system.dashboard.balance(customer.token).catch(() => undefined))?.held === 0,
      RECOVERED_WITHIN_MS,
    );
    await expectMoneyKept(customer, calls);
    if (process.env.TEST_HEAVY)
      process.stdout.write(
        `${signal}: promoted after ${Math.round(promotedAtMs - lostAtMs)} ms, ${2 * WIDTH} calls served after ` +
          `${Math.round(servedAtMs - lostAtMs)} ms, ${calls.filter((call) => !call.answered).length} of ${calls.length} calls failed\n`,
      );
    expect(servedAtMs - lostAtMs).toBeLessThan(FAILOVER_WITHIN_MS);
  },
  240_000,
);

async function expectMoneyKept(customer: Customer, calls: readonly TrafficCall[]): Promise<void> {
  const answered = calls.filter((call) => call.answered);
  const { balanceNano, charges } = await expectChargedAsMetered(system, customer, answered);
  const charged = [...charges.values()].reduce((sum, nano) => sum + nano, 0n);
  expect(balanceNano).toBe(100_000_000_000n - charged);
  expect(await totalMeteredNano(system)).toBeGreaterThanOrEqual(charged);
  await until(async () => (await system.drift()) === 0);
  expect(await system.metric('billing', 'holds_orphaned')).toBe(0);
  expect(await system.metric('billing', 'dead_letters')).toBe(0);
  const failures = calls.filter((call) => !call.answered && call.status !== 200 && call.status !== 0);
  for (const { status, code } of failures) expect([status, code]).toEqual([500, 'internal_error']);
}
