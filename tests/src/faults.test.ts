import { setTimeout as sleep } from 'node:timers/promises';
import { engineControl } from '@gateway/local-stack';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ENGINES, realEngines } from './support/engines';
import { expectChargedAsMetered, untilServed } from './support/expect-charged';
import { type Customer, type System, startSystem } from './support/system';
import { startBalancedTraffic, startTraffic, type TrafficCall } from './support/traffic';

const WIDTH = 24;
const ROUNDS = process.env.TEST_HEAVY ? 10 : 1;
const EDGE_RESTARTS = process.env.TEST_HEAVY ? 20 : 2;
/** Long enough for each kept-alive connection of a busy client to send one more request, also on a busy machine. */
const LAME_DUCK_MS = 2_000;
const KAFKA_DOWN_MS = process.env.TEST_HEAVY ? 30_000 : 6_000;
const RECOVERED_WITHIN_MS = 20_000;

let system: System;
let customer: Customer;

beforeAll(async () => {
  system = await startSystem({
    instances: { edge: 2 },
    settings: { edge: { EDGE_LAME_DUCK_MS: String(LAME_DUCK_MS) } },
  });
}, 60_000);
afterAll(() => system?.stop(), 30_000);

async function underTraffic(fault: () => Promise<void>): Promise<TrafficCall[]> {
  customer = await system.provision({ balanceUsd: 100 });
  const traffic = startTraffic(system, customer, WIDTH);
  await untilServed(system, WIDTH);
  await fault();
  await untilServed(system, WIDTH + 1, 30_000);
  return traffic.stop();
}

/** Checks that each answered call is charged once for what the simulator served, nothing is held, and the books balance. */
async function expectBooksRight(calls: readonly TrafficCall[]): Promise<void> {
  await until(async () => (await system.dashboard.balance(customer.token)).held === 0, RECOVERED_WITHIN_MS);
  const answered = calls.filter((call) => call.answered);
  expect(answered.length).toBeGreaterThan(WIDTH);
  await expectChargedAsMetered(system, customer, answered);
  await until(async () => (await system.drift()) === 0);
  // Other calls failed with an error of the table or a broken connection.
  const failures = calls.filter((call) => !call.answered && call.status !== 200 && call.status !== 0);
  for (const { status, code } of failures) expect([status, code]).toEqual([500, 'internal_error']);
}

test.each(['chat', 'billing', 'catalog', 'dashboard'] as const)(
  'every answered call is charged once when %s is killed under traffic',
  async (service) => {
    for (let round = 0; round < ROUNDS; round++) {
      const calls = await underTraffic(() => system.stack.kill(service));
      await system.stack.ready();
      await expectBooksRight(calls);
    }
  },
  240_000,
);

test('every answered call is charged once when edge is killed under traffic', async () => {
  const calls = await underTraffic(() => system.stack.kill('edge'));
  await system.stack.ready();
  await expectBooksRight(calls);
}, 120_000);

test(`${EDGE_RESTARTS} restarts of two edges in turn lose no call of a client that retries only refused connections`, async () => {
  customer = await system.provision({ balanceUsd: 100 });
  const traffic = startBalancedTraffic(system, customer, WIDTH);
  await untilServed(system, WIDTH);
  for (let restart = 0; restart < EDGE_RESTARTS; restart++) {
    await system.stack.restart('edge', restart % 2);
    await system.stack.ready();
    await untilServed(system, 2 * WIDTH);
  }
  const calls = await traffic.stop();
  expect(calls.filter(({ answered }) => !answered)).toEqual([]);
  // Each restart affects calls in flight and open connections.
  expect(calls.length).toBeGreaterThan(EDGE_RESTARTS * 2 * WIDTH);
  if (process.env.TEST_HEAVY) process.stdout.write(`${calls.length} calls, ${EDGE_RESTARTS} restarts\n`);
  await expectBooksRight(calls);
}, 300_000);

test('every answered call is charged once when chat and billing restart under traffic', async () => {
  const calls = await underTraffic(async () => {
    await system.stack.restart('chat');
    await system.stack.restart('billing');
  });
  await expectBooksRight(calls);
}, 120_000);

const engines = ENGINES === 'real' ? realEngines().dir : undefined;
const withKafka = engines ? test : test.skip;

withKafka(
  `calls continue and are charged correctly when Kafka is killed for ${KAFKA_DOWN_MS} ms under traffic`,
  async () => {
    const control = engineControl(`${engines}`);
    let callsWhileDown = 0;
    const calls = await underTraffic(async () => {
      await control.kill('kafka');
      const before = (await system.meter({ limit: 1 })).calls;
      await sleep(KAFKA_DOWN_MS);
      callsWhileDown = (await system.meter({ limit: 1 })).calls - before;
      await control.start('kafka');
    });
    expect(callsWhileDown).toBeGreaterThan(WIDTH);
    await expectBooksRight(calls);
  },
  180_000,
);
