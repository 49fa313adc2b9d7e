import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DnsServer, freePort, startDnsServer, until } from '@gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Customer, type System, startSystem } from './support/system';
import { startTraffic, type TrafficCall } from './support/traffic';

const WIDTH = 24;
const CHATS = 3;
const BILLINGS = 2;
/** A new instance is found within 2 s, and gets its full part within 5 s after it is up. */
const FULL_PART_AFTER_MS = 10_000;
const SPREAD_CALLS = 900;
const ISOLATED_WITHIN_MS = 5_000;
/** The kernel repeats an unanswered SYN after 1, 3, 7 and 15 s. */
const USED_AGAIN_WITHIN_MS = 30_000;
/** As a garbage collection, or a machine that is busy, makes a process pause. */
const PAUSE_MS = 1_500;

/** Instances have addresses of their own, whose ports nothing else takes, and share the port, as pods do. Other runs have other networks. */
const network = `127.${1 + (process.pid % 250)}.${(process.pid >> 8) % 250}`;
const hostOf = (service: string, index: number) => `${network}.${(service === 'chat' ? 10 : 20) + index}`;

let dns: DnsServer;
let system: System;
let customer: Customer;

function list(service: 'chat' | 'billing', ...indexes: number[]): void {
  dns.setA(
    `${service}.test`,
    indexes.map((index) => hostOf(service, index)),
  );
}

beforeAll(async () => {
  dns = await startDnsServer();
  list('chat', 0);
  list('billing', 0, 1);
  const ports = {
    chat: String(await freePort(hostOf('chat', 0))),
    billing: String(await freePort(hostOf('billing', 0))),
  };
  const BILLING_ADDR = `billing.test:${ports.billing}`;
  const CHAT_ADDR = `chat.test:${ports.chat}`;
  system = await startSystem({
    autoRestart: false,
    instances: { chat: CHATS, billing: BILLINGS },
    env: { DNS_SERVERS: dns.address },
    settings: {
      chat: { BILLING_ADDR },
      media: { BILLING_ADDR },
      storage: { BILLING_ADDR, CHAT_ADDR },
      dashboard: { BILLING_ADDR, CHAT_ADDR },
      edge: { BILLING_ADDR, CHAT_ADDR },
    },
    instanceSettings: (service, index) =>
      service === 'chat' || service === 'billing'
        ? { BIND_HOST: hostOf(service, index), GRPC_PORT: ports[service] }
        : {},
  });
  customer = await system.provision({ balanceUsd: 100 });
}, 60_000);
afterAll(async () => {
  await system?.stop();
  await dns?.stop();
}, 30_000);

/** Returns how many calls each chat has sent to the provider. */
const callsOf = (indexes: readonly number[]) =>
  Promise.all(indexes.map((index) => system.metric('chat', 'chat_target_calls_total', index).catch(() => 0)));

const failed = (calls: readonly TrafficCall[]) => calls.filter(({ answered }) => !answered);

/** Checks that calls failed only when sent between the two times, with `internal_error` or as a broken stream; returns how many. */
function expectFailuresOnly(calls: readonly TrafficCall[], fromMs: number, toMs: number): number {
  const failures = failed(calls);
  for (const { sentMs, status, code } of failures) {
    expect(status === 200 || code === 'internal_error').toBe(true);
    // A call that was in flight when the instance froze may have been sent shortly before.
    expect(sentMs).toBeGreaterThan(fromMs - 1_000);
    expect(sentMs).toBeLessThan(toMs);
  }
  return failures.length;
}

async function expectBooksRight(): Promise<void> {
  await system.settled(customer, 20_000);
  await until(async () => (await system.drift()) === 0);
}

test('chat scales from 1 to 3 to 2 under load without a failed call, and new calls are spread evenly', async () => {
  await Promise.all([1, 2].map((index) => system.stack.kill('chat', index, 'SIGTERM')));
  const traffic = startTraffic(system, customer, WIDTH);
  await until(async () => (await callsOf([0]))[0]! > 2 * WIDTH);

  await Promise.all([1, 2].map((index) => system.stack.restart('chat', index)));
  await system.stack.ready();
  list('chat', 0, 1, 2);
  await sleep(FULL_PART_AFTER_MS);
  const before = await callsOf([0, 1, 2]);
  const since = async () => (await callsOf([0, 1, 2])).map((calls, at) => calls - before[at]!);
  const total = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);
  await until(async () => total(await since()) >= SPREAD_CALLS, 60_000);
  const counts = await since();
  const even = total(counts) / CHATS;
  process.stdout.write(`calls of three chats: ${counts}\n`);
  for (const count of counts) {
    expect(count).toBeGreaterThan(even * 0.8);
    expect(count).toBeLessThan(even * 1.2);
  }

  list('chat', 0, 1);
  await system.stack.kill('chat', 2, 'SIGTERM');
  const [afterRemoval] = await callsOf([0]);
  await until(async () => (await callsOf([0]))[0]! > afterRemoval! + 4 * WIDTH);
  const calls = await traffic.stop();
  expect(failed(calls)).toEqual([]);
  await expectBooksRight();
  await system.stack.restart('chat', 2);
}, 120_000);

test('an instance that is removed from DNS although it works gets no new calls and loses none', async () => {
  const traffic = startTraffic(system, customer, WIDTH);
  await until(async () => (await callsOf([1]))[0]! > 0);
  list('chat', 0);
  let calls: number[];
  do {
    calls = await callsOf([1]);
    // Longer than any call of the traffic.
    await sleep(1_500);
  } while (calls[0] !== (await callsOf([1]))[0]);
  list('chat', 0, 1);
  await until(async () => (await callsOf([1]))[0]! > calls[0]!);
  expect(failed(await traffic.stop())).toEqual([]);
}, 60_000);

test.each(['chat', 'billing', 'edge'] as const)(
  'a pause of %s costs no call',
  async (service) => {
    const traffic = startTraffic(system, customer, WIDTH);
    await sleep(1_000);
    await system.stack.kill(service, 0, 'SIGSTOP');
    await sleep(PAUSE_MS);
    await system.stack.kill(service, 0, 'SIGCONT');
    await sleep(4_000);
    expect(failed(await traffic.stop())).toEqual([]);
  },
  60_000,
);

/** Drops the packets from and to the address, or stops doing so. Needs root and iptables. */
function cutOff(action: '--append' | '--delete', host: string): void {
  for (const end of ['--source', '--destination']) {
    execFileSync('iptables', [action, 'INPUT', '--in-interface', 'lo', end, host, '--jump', 'DROP']);
  }
}

const FAULTS = {
  frozen: {
    begin: (service) => system.stack.kill(service, 1, 'SIGSTOP'),
    end: (service) => system.stack.kill(service, 1, 'SIGCONT'),
  },
  'cut off': {
    begin: async (service) => cutOff('--append', hostOf(service, 1)),
    end: async (service) => cutOff('--delete', hostOf(service, 1)),
  },
} satisfies Record<string, Record<'begin' | 'end', (service: 'chat' | 'billing') => Promise<void>>>;

/** How many calls the second instance has had. */
const callsOfSecond = (service: 'chat' | 'billing') =>
  system
    .metric(service, service === 'chat' ? 'chat_target_calls_total' : 'billing_reserve_replies_total', 1)
    .catch(() => 0);

test.each([
  ['chat', 'frozen'],
  ['billing', 'frozen'],
  ...(process.env.TEST_HEAVY
    ? ([
        ['chat', 'cut off'],
        ['billing', 'cut off'],
      ] as const)
    : []),
] as const)(
  'an instance of %s that is %s is isolated within 5 s, and used again afterwards',
  async (service, fault) => {
    list('chat', 0, 1);
    const traffic = startTraffic(system, customer, WIDTH);
    await until(async () => (await callsOfSecond(service)) > WIDTH);
    const beginMs = performance.now();
    await FAULTS[fault].begin(service);
    await sleep(ISOLATED_WITHIN_MS + 3_000);
    const endMs = performance.now();
    await FAULTS[fault].end(service);
    const callsBefore = await callsOfSecond(service);
    await until(async () => (await callsOfSecond(service)) > callsBefore + WIDTH, USED_AGAIN_WITHIN_MS);
    const usedAgainMs = performance.now();
    const calls = await traffic.stop();

    const failures = expectFailuresOnly(calls, beginMs, beginMs + ISOLATED_WITHIN_MS);
    const later = calls.filter(({ sentMs }) => sentMs > beginMs + ISOLATED_WITHIN_MS && sentMs < endMs);
    process.stdout.write(
      `${service} ${fault}: ${failures} of ${calls.length} calls failed, ${later.length} later ones did not; ` +
        `used again after ${Math.round(usedAgainMs - endMs)} ms\n`,
    );
    expect(later.length).toBeGreaterThan(WIDTH);
    await system.stack.ready();
    await expectBooksRight();
  },
  90_000,
);
