import { until } from '@gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectChargedAsMetered, untilServed } from './support/expect-charged';
import { type Customer, type System, startSystem } from './support/system';
import { startTraffic, type TrafficCall } from './support/traffic';

const WIDTH = 24;
/** Another instance takes over a journal after ten seconds without a heartbeat. */
const RECOVERED_WITHIN_MS = 30_000;

let system: System;
let customer: Customer;

beforeAll(async () => {
  system = await startSystem({ instances: { chat: 2 }, chatJournal: 'postgres' });
}, 60_000);
afterAll(() => system?.stop(), 30_000);

async function underTraffic(fault: () => Promise<void>): Promise<TrafficCall[]> {
  customer = await system.provision({ balanceUsd: 100 });
  const traffic = startTraffic(system, customer, WIDTH);
  await untilServed(system, WIDTH, 30_000);
  await fault();
  await untilServed(system, 2 * WIDTH, 30_000);
  return traffic.stop();
}

/** Checks that each answered call is charged once for what the simulator served, nothing is held, and the books balance. */
async function expectBooksRight(calls: readonly TrafficCall[]): Promise<void> {
  await until(async () => (await system.dashboard.balance(customer.token)).held === 0, RECOVERED_WITHIN_MS);
  const answered = calls.filter((call) => call.answered);
  expect(answered.length).toBeGreaterThan(WIDTH);
  await expectChargedAsMetered(system, customer, answered);
  await until(async () => (await system.drift()) === 0);
}

test('a killed chat loses no charge: the other one ends its calls', async () => {
  const calls = await underTraffic(() => system.stack.kill('chat', 1));
  await expectBooksRight(calls);
}, 120_000);

test('a chat that restarts cuts no call', async () => {
  const calls = await underTraffic(() => system.stack.restart('chat', 0));
  expect(calls.filter(({ answered }) => !answered)).toEqual([]);
  await expectBooksRight(calls);
}, 120_000);

test('a chat that was frozen for longer than its lease ends, and its calls are charged once', async () => {
  const pid = system.stack.pid('chat', 1);
  const calls = await underTraffic(async () => {
    await system.stack.kill('chat', 1, 'SIGSTOP');
    const owners = () => system.metric('chat', 'chat_journals_taken_over_total');
    const before = await owners();
    await until(async () => (await owners()) > before, RECOVERED_WITHIN_MS);
    await system.stack.kill('chat', 1, 'SIGCONT');
    await until(() => pid !== pidOf(1), RECOVERED_WITHIN_MS);
  });
  await system.stack.ready();
  await expectBooksRight(calls);
}, 120_000);

/** Undefined while the process is down. */
function pidOf(index: number): number | undefined {
  return system.stack.processes().find((one) => one.service === 'chat' && one.index === index)?.pid;
}
