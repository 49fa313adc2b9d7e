import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@gateway/testing';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { Kafka, logLevel } from 'kafkajs';
import { createClient } from 'redis';
import { type EngineSetOf, redisSettingsOf, startEngineSet } from './support/engine-set';
import { ENGINES } from './support/engines';
import { expectChargedAsMetered } from './support/expect-charged';
import { type HttpAnswer, postJson } from './support/http';
import { type Customer, type System, startSystem } from './support/system';

const LANES = 12;
const OUTAGE_MS = 15_000;
/** Load before and after a failure. */
const CALM_MS = 3_000;
const RPM = 10;
const AMPLE = { rpm_limit: 1_000_000, tpm_limit: 100_000_000 };

// Needs servers that engine-set.mjs installs. jest.config.cjs leaves the file out of runs without full counts.
const onRealEngines = ENGINES === 'real' ? describe : describe.skip;

let system: System | undefined;
let engines: { stop(): Promise<void> } | undefined;

afterEach(async () => {
  await system?.stop();
  await engines?.stop();
  system = undefined;
  engines = undefined;
}, 60_000);
afterAll(() => expect(system).toBeUndefined());

interface LoadCall {
  readonly customer: Customer;
  readonly requestId: string;
  readonly outcome: string;
  /** When it was answered. */
  readonly atMs: number;
}

const outcomeOf = ({ status, json }: HttpAnswer) =>
  status === 200 ? 'ok' : `${json?.error?.code ?? status}`;
const body = (sim: object) => ({
  model: 'sim/chat',
  messages: [{ role: 'user', content: `hello [[sim ${JSON.stringify(sim)}]]` }],
});
const call = (customer: Customer, sim: object = {}) =>
  postJson(`${system?.stack.apiUrl}/v1/chat/completions`, body(sim), customer.apiKey);

/** Keeps a call of each customer in flight until it is stopped. */
function startLoad(customers: readonly Customer[]): { readonly calls: LoadCall[]; stop(): Promise<void> } {
  const calls: LoadCall[] = [];
  let isStopped = false;
  const lanes = customers.map(async (customer) => {
    while (!isStopped) {
      const answer = await call(customer, { delay_ms: 20 });
      const outcome = outcomeOf(answer);
      const requestId = String(answer.headers['x-request-id']);
      calls.push({ customer, requestId, outcome, atMs: performance.now() });
      if (outcome !== 'ok') await sleep(50);
    }
  });
  return {
    calls,
    async stop() {
      isStopped = true;
      await Promise.all(lanes);
    },
  };
}

/** One after the other: many concurrent registrations of one address are refused. */
async function provision(of: System, count: number, key: object = AMPLE): Promise<Customer[]> {
  const customers: Customer[] = [];
  while (customers.length < count) customers.push(await of.provision({ balanceUsd: 100, key }));
  return customers;
}

/** Checks that every answered call is charged once, as metered, and nothing is held. */
async function expectBooksRight(of: System, calls: readonly LoadCall[]): Promise<void> {
  for (const [customer, made] of Map.groupBy(calls, ({ customer }) => customer)) {
    await of.settled(customer, OUTAGE_MS);
    const answered = made.filter(({ outcome }) => outcome === 'ok');
    await expectChargedAsMetered(of, customer, answered);
  }
  expect(await of.drift()).toBe(0);
  expect(await of.metric('billing', 'operator_loss_nano')).toBe(0);
  expect(await of.metric('billing', 'dead_letters')).toBe(0);
}

interface Outage {
  /** From the failure to the last call that was refused; 0 if none was. */
  readonly outageMs: number;
  readonly refused: number;
  readonly calls: number;
}

/** The outage that calls have seen since the failure. */
function outageOf(calls: readonly LoadCall[], failedAtMs: number): Outage {
  const refused = calls.filter(({ outcome }) => outcome !== 'ok');
  expect(new Set(refused.map(({ outcome }) => outcome)).size).toBeLessThanOrEqual(1);
  for (const { outcome, atMs } of refused) {
    expect(outcome).toBe('internal_error');
    expect(atMs).toBeGreaterThan(failedAtMs);
  }
  const outageMs = Math.max(0, ...refused.map(({ atMs }) => atMs - failedAtMs));
  return { outageMs: Math.round(outageMs), refused: refused.length, calls: calls.length };
}

const report = (what: string, figures: object) =>
  process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
const redisUp = async (of: System) => (await of.metric('billing', 'billing_redis_up')) === 1;

/** Makes calls until one is refused, and returns how many were admitted. */
async function admittedOf(customer: Customer, most: number): Promise<number> {
  for (let admitted = 0; ; admitted++) {
    const outcome = outcomeOf(await call(customer));
    if (outcome === 'rpm_rate_limited' || admitted > most) return admitted;
    expect(outcome).toBe('ok');
  }
}

onRealEngines('Redis behind Sentinels', () => {
  test.each(['killed', 'frozen'])(
    'the primary is %s: errors end within 15 s, and limits count what was admitted before',
    async (failure) => {
      const set = await startEngineSet('redis-sentinel');
      engines = set;
      system = await startSystem({
        settings: {
          billing: {
            ...redisSettingsOf(set),
            REDIS_SENTINELS: set.sentinelPorts.map((port) => `127.0.0.1:${port}`).join(),
            REDIS_SENTINEL_MASTER: 'rates',
            REDIS_SENTINEL_USERNAME: 'billing',
            REDIS_SENTINEL_PASSWORD: set.passwords.sentinel,
            REDIS_USERNAME: 'billing',
            REDIS_PASSWORD: set.passwords.billing,
            REDIS_TLS: 'on',
          },
        },
      });
      const customers = await provision(system, LANES);
      const [limited] = await provision(system, 1, { rpm_limit: RPM });
      const load = startLoad(customers);
      await sleep(CALM_MS);
      for (let i = 0; i < RPM / 2; i++) expect(outcomeOf(await call(limited!))).toBe('ok');
      const failedAtMs = performance.now();
      await (failure === 'killed' ? set.kill('redis-1') : set.freeze('redis-1'));
      // Until its silence is noticed.
      await sleep(1_500);
      await until(() => redisUp(system!), OUTAGE_MS);
      const noticedMs = Math.round(performance.now() - failedAtMs);
      expect(await admittedOf(limited!, RPM)).toBe(RPM - RPM / 2);
      // For some moments a primary that has been replaced does not know that.
      if (failure === 'frozen') await set.resume('redis-1');
      await sleep(CALM_MS);
      expect(outcomeOf(await call(limited!))).toBe('rpm_rate_limited');
      await load.stop();
      const outage = outageOf(load.calls, failedAtMs);
      report(`Sentinel failover, primary ${failure}`, { noticedMs, ...outage });
      expect(outage.outageMs).toBeLessThan(OUTAGE_MS);
      await expectBooksRight(system, load.calls);
    },
  );
});

onRealEngines('a Redis cluster', () => {
  async function keysOn(set: EngineSetOf<'redis-cluster'>, port: number): Promise<string[]> {
    const { ca, client } = set.files;
    const tls = {
      ca: readFileSync(ca),
      cert: readFileSync(client.certificate),
      key: readFileSync(client.key),
    };
    const admin = createClient({
      username: 'admin',
      password: set.passwords.admin,
      socket: { tls: true, host: '127.0.0.1', port, ...tls },
    });
    await admin.connect();
    const keys = await admin.keys('rates2:*');
    admin.destroy();
    return keys.map((key) => /\{(.+)\}/.exec(key)?.[1] ?? '');
  }

  test('a primary is killed: only its keys have errors, until its replica is promoted; without a replica only they are refused', async () => {
    const set = await startEngineSet('redis-cluster');
    engines = set;
    system = await startSystem({
      settings: {
        billing: {
          ...redisSettingsOf(set),
          REDIS_CLUSTER: set.ports.map((port) => `127.0.0.1:${port}`).join(),
          REDIS_USERNAME: 'billing',
          REDIS_PASSWORD: set.passwords.billing,
          REDIS_TLS: 'on',
        },
      },
    });
    const customers = await provision(system, 2 * LANES);
    const load = startLoad(customers);
    await sleep(CALM_MS);
    const owned = await Promise.all(set.ports.slice(0, 3).map((port) => keysOn(set, port)));
    for (const keys of owned) expect(keys.length).toBeGreaterThan(0);
    const isAffected = ({ customer }: LoadCall) => owned[0]!.includes(customer.keyId);

    const failedAtMs = performance.now();
    await set.kill('redis-1');
    await sleep(500);
    await until(() => redisUp(system!), OUTAGE_MS);
    const noticedMs = Math.round(performance.now() - failedAtMs);
    await sleep(CALM_MS);
    await load.stop();
    const affected = outageOf(load.calls.filter(isAffected), failedAtMs);
    const others = load.calls.filter((made) => !isAffected(made));
    report('cluster failover', {
      noticedMs,
      keys: owned.map((keys) => keys.length),
      ...affected,
      othersRefused: others.filter(({ outcome }) => outcome !== 'ok').length,
      others: others.length,
    });
    expect(affected.outageMs).toBeLessThan(OUTAGE_MS);
    expect(others.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);

    await set.kill('redis-4');
    const second = startLoad(customers);
    await sleep(2 * CALM_MS);
    await second.stop();
    const refused = second.calls.filter(({ outcome }) => outcome !== 'ok');
    report('cluster without a primary of some slots', {
      refused: refused.length,
      calls: second.calls.length,
    });
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.filter((made) => !isAffected(made))).toEqual([]);
    await expectBooksRight(system, [...load.calls, ...second.calls]);
  });
});

onRealEngines('a Kafka of three brokers', () => {
  test('each broker is killed in turn: no event is lost, and all is settled within 15 s', async () => {
    const set = await startEngineSet('kafka-cluster');
    engines = set;
    const brokers = set.ports.map((port) => `127.0.0.1:${port}`);
    const kafka = { KAFKA_BROKERS: brokers.join(), KAFKA_TOPIC_PREFIX: 'ha.' };
    system = await startSystem({ settings: { billing: kafka, chat: kafka, media: kafka } });
    await until(async () => (await system!.metric('billing', 'billing_kafka_consumer_up')) === 1, 60_000);
    const admin = new Kafka({ clientId: 'test', brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const { topics } = await admin.fetchTopicMetadata({ topics: ['ha.usage.v1', 'ha.usage.v1.dead'] });
    await admin.disconnect();
    for (const { partitions } of topics)
      for (const { replicas } of partitions) expect(replicas).toHaveLength(3);

    const customers = await provision(system, LANES);
    for (const node of ['kafka-1', 'kafka-2', 'kafka-3']) {
      const load = startLoad(customers);
      await sleep(CALM_MS);
      const failedAtMs = performance.now();
      await set.kill(node);
      // Of each batch that is settled: until then events of one partition may wait for a new leader.
      let maxLagMs = 0;
      const sampling = setInterval(async () => {
        const lag = await system!.metric('billing', 'settle_lag_seconds').catch(() => 0);
        maxLagMs = Math.max(maxLagMs, Math.round(lag * 1_000));
      }, 100);
      await sleep(OUTAGE_MS);
      await load.stop();
      const stoppedAtMs = performance.now();
      for (const customer of customers) await system.settled(customer, OUTAGE_MS);
      clearInterval(sampling);
      const settledMs = Math.round(performance.now() - stoppedAtMs);
      const outage = outageOf(load.calls, failedAtMs);
      report(`${node} killed`, { ...outage, maxLagMs, settledMs });
      expect(outage.refused).toBe(0);
      expect(maxLagMs).toBeLessThan(2 * OUTAGE_MS);
      await expectBooksRight(system, load.calls);
      await set.start(node);
      await until(async () => (await system!.metric('billing', 'billing_kafka_consumer_up')) === 1, 60_000);
    }
  });
});
