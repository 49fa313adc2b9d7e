import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { POSTGRES_TOOLS, runTool, until } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CALLERS, type MadeCall, startCallers } from './support/callers';
import { readLedger } from './support/ledger';
import { NO_POD_NETWORK, PodNetwork } from './support/pod-network';
import { type Instance, POD_SERVICES, type PodService, PodSystem } from './support/pod-system';
import { type ReplicatedEngines, startReplicatedEngines } from './support/replicated-engines';
import type { Customer } from './support/system';

/** While the test is written, a part of it. */
const { TEST_ROLLOUT_SERVICES, TEST_ROLLOUT_ROUNDS = '2', TEST_ROLLOUT_STREAM_S = '60' } = process.env;
const SERVICES = (TEST_ROLLOUT_SERVICES?.split(',') as PodService[] | undefined) ?? POD_SERVICES;
const ROUNDS = Number(TEST_ROLLOUT_ROUNDS);
const LONGEST_STREAM_S = Number(TEST_ROLLOUT_STREAM_S);
const STREAMS_S = [1, 5, Math.ceil(LONGEST_STREAM_S / 3), LONGEST_STREAM_S];
const SHORT_STREAMS_S = [1, 5, 15];
const INSTANCES = 2;
const SCALED_TO = 5;
const CUSTOMERS = 4;
/** From then on a new instance has its full part. */
const FULL_PART_AFTER_MS = 10_000;
const SPREAD_CALLS = 150;
const SPREAD_WITHIN_MS = 90_000;
const MAX_DEVIATION = 0.2;
/** Load before and after a fault. */
const CALM_MS = 8_000;
const SETTLED_WITHIN_MS = 90_000;
const START_TIMEOUT_MS = 600_000;
const TEST_TIMEOUT_MS = 3_600_000;

const reason = NO_POD_NETWORK ?? (POSTGRES_TOOLS ? undefined : "needs Debian's PostgreSQL");
const inPods = reason === undefined ? describe : describe.skip;

const log = createLogger('rollout-test', 'silent');

let network: PodNetwork;
let engines: ReplicatedEngines;
let pods: PodSystem;

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Counters of new calls of an instance. */
const CALL_COUNTERS: Partial<Record<PodService, string>> = {
  billing: 'billing_reserve_replies_total',
  media: 'media_target_calls_total',
  storage: 'storage_responses_saved_total',
  chat: 'chat_target_calls_total',
};

async function newCallsOf(service: PodService): Promise<number[]> {
  const countOf = async (instance: Instance) =>
    service === 'edge'
      ? pods.balancer.callsOf(instance.pod.address)
      : pods.metric(service, instance, CALL_COUNTERS[service]!);
  return Promise.all(pods.instances(service).map(countOf));
}

/** Checks that new calls are spread evenly over the instances of a service. */
async function expectSpread(service: PodService): Promise<void> {
  if (service !== 'edge' && !CALL_COUNTERS[service]) return;
  await sleep(FULL_PART_AFTER_MS);
  const before = await newCallsOf(service);
  const since = async () => (await newCallsOf(service)).map((calls, at) => calls - before[at]!);
  const total = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);
  await until(async () => total(await since()) >= SPREAD_CALLS * before.length, SPREAD_WITHIN_MS);
  const counts = await since();
  const mean = total(counts) / counts.length;
  const deviations = counts.map((count) => count / mean - 1);
  const percent = deviations.map((deviation) => `${(100 * deviation).toFixed(0)} %`);
  print(`new calls of ${counts.length} ${service}: ${counts} (${percent})`);
  for (const deviation of deviations) expect(Math.abs(deviation)).toBeLessThan(MAX_DEVIATION);
}

async function provision(): Promise<Customer[]> {
  const customers: Customer[] = [];
  // With limits, so that Redis is asked.
  const key = { rpm_limit: 1_000_000, tpm_limit: 100_000_000 };
  while (customers.length < CUSTOMERS)
    customers.push(await pods.system.provision({ balanceUsd: 2_000, key }));
  return customers;
}

const failed = (calls: readonly MadeCall[]) => calls.filter(({ isAnswered }) => !isAnswered);

/** Failures in order, with what they have in common once. */
function describeFailures(calls: readonly MadeCall[], sinceMs: number): string[] {
  const groups = Map.groupBy(failed(calls), ({ kind, status, failure }) => `${kind}: ${status} ${failure}`);
  return [...groups].map(([what, made]) => {
    const atS = made.map(({ sentMs, endMs }) => `${seconds(sentMs - sinceMs)}–${seconds(endMs - sinceMs)}`);
    return `${made.length} × ${what} at ${atS.slice(0, 4)} s, ids ${made.slice(0, 2).map(({ requestId }) => requestId)}`;
  });
}
const seconds = (ms: number) => (ms / 1_000).toFixed(1);

const billingMetric = (name: string) =>
  pods.system.metric('billing', name, pods.instances('billing')[0]!.index);

/**
 * Checks that each answered call is charged once, what it costs, and that nothing stays held. Returns how many charges are of calls that
 * were not answered.
 */
async function expectBooksRight(customers: readonly Customer[], calls: readonly MadeCall[]): Promise<number> {
  let others = 0;
  for (const customer of customers) {
    await pods.system.settled(customer, SETTLED_WITHIN_MS);
    const { charges } = await readLedger(pods.system, customer);
    const billed = calls.filter(
      (call) => call.customer === customer && call.isAnswered && call.costNano > 0n,
    );
    const wrong = billed.filter(({ requestId = '', costNano }) => charges.get(requestId) !== costNano);
    expect(wrong.map(({ kind, requestId = '' }) => [kind, requestId, charges.get(requestId)])).toEqual([]);
    others += charges.size - billed.length;
  }
  await until(async () => (await billingMetric('ledger_drift_nano')) === 0);
  expect(await billingMetric('holds_orphaned')).toBe(0);
  expect(await billingMetric('dead_letters')).toBe(0);
  const answered = new Set(calls.filter(({ isAnswered }) => isAnswered).map(({ requestId }) => requestId));
  const unexpected = (await readLosses()).filter(
    ({ reason, request_id }) => reason !== 'owner_killed' || answered.has(request_id),
  );
  expect(unexpected).toEqual([]);
  return others;
}

/**
 * Returns the operator's losses so far. A chat that is cut off may have sent calls to the provider: when another chat ends them, nobody
 * knows their usage.
 */
async function readLosses(): Promise<{ request_id: string; reason: string }[]> {
  const pool = createPool({ url: engines.addresses.databaseUrl!, log });
  try {
    return (await pool.query('SELECT request_id, reason FROM billing.operator_losses')).rows;
  } finally {
    await pool.end();
  }
}

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const beginMs = performance.now();
  await work();
  print(`${what}: ${seconds(performance.now() - beginMs)} s`);
}

async function expectNoFailure(work: () => Promise<void>): Promise<void> {
  const customers = await provision();
  const beginMs = performance.now();
  const callers = startCallers(pods.balancer, customers, STREAMS_S);
  const watch = setInterval(() => {
    const failures = failed(callers.calls);
    if (failures.length > 0) print(describeFailures(failures, beginMs).join('\n'));
  }, 10_000);
  await work().finally(() => clearInterval(watch));
  await callers.stop();
  const kinds = Map.groupBy(callers.calls, ({ kind }) => kind);
  const counts = [...kinds].map(([kind, calls]) => `${kind} ${calls.length}`);
  print(
    `${CALLERS} callers, ${callers.calls.length} calls: ${counts.join(', ')}; failed: ${failed(callers.calls).length}`,
  );
  const plain = callers.calls.filter(({ kind }) => kind === 'chat completion');
  const slowest = Math.max(...plain.map(({ sentMs, endMs }) => endMs - sentMs));
  print(`slowest chat completion: ${seconds(slowest)} s`);
  expect(describeFailures(callers.calls, beginMs)).toEqual([]);
  expect(await expectBooksRight(customers, callers.calls)).toBe(0);
  expect(await readLosses()).toEqual([]);
}

inPods(`instances in network namespaces${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  beforeAll(async () => {
    network = await PodNetwork.open();
    engines = await startReplicatedEngines(network.host);
    pods = await PodSystem.start(network, engines.addresses, INSTANCES);
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await pods?.stop();
    await engines?.stop();
    await network?.close();
  }, 120_000);

  test(
    'every service is rolled twice under load without a failed call or a cut stream',
    () =>
      expectNoFailure(async () => {
        await sleep(CALM_MS);
        for (let round = 1; round <= ROUNDS; round++)
          for (const service of SERVICES) await timed(`rolled ${service}`, () => pods.roll(service));
      }),
    TEST_TIMEOUT_MS,
  );

  test(
    'every service is scaled from 2 to 5 to 2 under load without a failed call, and new calls are spread evenly',
    () =>
      expectNoFailure(async () => {
        await sleep(CALM_MS);
        for (const service of SERVICES) {
          await timed(`scaled ${service} to ${SCALED_TO}`, () => pods.scale(service, SCALED_TO));
          await expectSpread(service);
          await timed(`scaled ${service} to ${INSTANCES}`, () => pods.scale(service, INSTANCES));
        }
      }),
    TEST_TIMEOUT_MS,
  );

  interface Fault {
    readonly what: string;
    /** From the fault on, how long calls may fail. */
    readonly allowedMs: number;
    /** Of a fault that ends. */
    readonly lastsMs?: number;
    begin(): Promise<void>;
    end?(): Promise<void>;
  }
  let affected: Instance;
  const FAULTS: readonly Fault[] = [
    {
      what: 'one of two billings is frozen',
      allowedMs: 5_000,
      lastsMs: 15_000,
      begin() {
        affected = pods.instances('billing')[1]!;
        return pods.system.stack.kill('billing', affected.index, 'SIGSTOP');
      },
      end: () => pods.system.stack.kill('billing', affected.index, 'SIGCONT'),
    },
    {
      what: 'one of two chats is black-holed',
      allowedMs: 5_000,
      lastsMs: 15_000,
      begin() {
        affected = pods.instances('chat')[1]!;
        return network.cutOff(affected.pod);
      },
      end: () => network.reconnect(affected.pod),
    },
    {
      what: 'one of three Kafka brokers is killed',
      allowedMs: 15_000,
      begin: () => engines.kafka.kill('kafka-1'),
    },
    {
      what: 'the Redis primary is killed',
      allowedMs: 15_000,
      begin: () => engines.redis.kill('redis-1'),
    },
    {
      what: 'the PostgreSQL primary is killed and its standby promoted',
      allowedMs: 30_000,
      async begin() {
        const { primary, standby } = engines.postgres;
        await primary.kill('SIGKILL');
        await runTool('pg_ctl', ['promote', '-D', standby.data]);
      },
    },
  ];

  test.each(FAULTS.map((fault) => [fault.what, fault.allowedMs / 1_000, fault] as const))(
    '%s under load: calls fail for %d s at most, and no money is lost',
    async (what, _allowedS, { allowedMs, lastsMs = allowedMs, begin, end }) => {
      const customers = await provision();
      const callers = startCallers(pods.balancer, customers, SHORT_STREAMS_S);
      await sleep(CALM_MS);
      const faultMs = performance.now();
      await begin();
      await sleep(Math.max(0, faultMs + lastsMs - performance.now()));
      await end?.();
      await sleep(2 * CALM_MS);
      await callers.stop();
      const { calls } = callers;
      const failures = failed(calls);
      const first = Math.min(...failures.map(({ endMs }) => endMs - faultMs));
      const last = Math.max(...failures.map(({ endMs }) => endMs - faultMs));
      const cut = failures.filter(({ kind, status }) => kind.startsWith('stream') && status !== 500);
      const window = failures.length > 0 ? `, from ${seconds(first)} to ${seconds(last)} s after it` : '';
      print(
        `${what}: ${failures.length} of ${calls.length} calls failed, ${cut.length} of them cut streams${window}`,
      );
      print(describeFailures(calls, faultMs).join('\n'));
      const others = await expectBooksRight(customers, calls);
      print(`charges of calls that were not answered: ${others}`);
      expect(others).toBeLessThanOrEqual(failures.length);
      expect(first).toBeGreaterThan(0);
      expect(last).toBeLessThan(allowedMs);
    },
    TEST_TIMEOUT_MS,
  );
});
