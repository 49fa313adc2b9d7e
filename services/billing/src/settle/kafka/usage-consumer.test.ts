import { randomUUIDv7 } from 'node:crypto';
import { createLogger } from '@gateway/process';
import { createTestDatabase, type TestDatabase, until } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Kafka, logLevel, Partitioners, type Producer } from 'kafkajs';
import { reserveRequest, TestBilling, usageEvent } from '../../testing/test-billing';
import { UsageConsumer } from './usage-consumer';
import { replicationFor } from './usage-topics';

const brokers = process.env.TEST_KAFKA_BROKERS ?? '';
// Needs a real broker: TEST_KAFKA_BROKERS.
const withKafka = brokers === '' ? describe.skip : describe;

withKafka('usage events on Kafka', () => {
  const prefix = `test-${randomUUIDv7()}-`;
  const topic = `${prefix}usage.v1`;
  const kafka = new Kafka({ clientId: 'test', brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  let database: TestDatabase;
  let billing: TestBilling;
  let producer: Producer;
  const env = { KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: prefix };
  beforeAll(async () => {
    database = await createTestDatabase();
    billing = await TestBilling.start(database.url, env);
    producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    await until(async () => (await billing.metric('billing_kafka_consumer_up')) === 1, 30_000);
  }, 90_000);
  afterAll(async () => {
    await producer?.disconnect();
    await billing?.stop();
    await database?.drop();
  }, 60_000);

  const send = (key: string, ...values: (string | null)[]) =>
    producer.send({ topic, acks: -1, messages: values.map((value) => ({ key, value })) });
  const settled = async (accountId: string) => {
    const { balanceNano, heldNano } = await billing.account(accountId);
    return heldNano === '0' ? balanceNano : undefined;
  };

  test('are settled once; events that cannot be settled become dead letters in database and topic', async () => {
    const key = await billing.createFundedKey(1_000n);
    const call = reserveRequest(key, 400n);
    await billing.reserve(call);
    const event = JSON.stringify(usageEvent(call, 123n));
    const unknown = JSON.stringify(usageEvent(reserveRequest(key, 1n), 1n));
    await send(key.accountId, 'not JSON', null, unknown, event, event);
    await until(async () => (await settled(key.accountId)) === '877');
    await until(async () => (await billing.metric('dead_letters')) === 3);

    const reasons: string[] = [];
    const reader = kafka.consumer({ groupId: `${prefix}reader` });
    await reader.connect();
    await reader.subscribe({ topics: [`${topic}.dead`], fromBeginning: true });
    await reader.run({
      eachMessage: async ({ message }) => {
        reasons.push(String(message.headers?.reason));
      },
    });
    await until(() => reasons.length >= 3, 30_000);
    await reader.disconnect();
    expect(reasons.sort()).toEqual(['malformed: not JSON', 'malformed: not JSON', 'unknown hold']);
    expect(await billing.metric('ledger_drift_nano')).toBe(0);
  }, 60_000);

  test('are consumed from topics that are replicated too little, which are counted', async () => {
    expect(await billing.metric('billing_kafka_weak_topics')).toBe(0);
    await billing.stop();
    billing = await TestBilling.start(database.url, { ...env, KAFKA_REPLICATION_FACTOR: '3' });
    await until(async () => (await billing.metric('billing_kafka_weak_topics')) === 2, 30_000);
  }, 60_000);

  test('sent while no instance consumes are settled by the next instance', async () => {
    const key = await billing.createFundedKey(1_000n);
    const calls = Array.from({ length: 20 }, () => reserveRequest(key, 10n));
    await billing.reserve(...calls);
    await billing.stop();
    await send(key.accountId, ...calls.map((call) => JSON.stringify(usageEvent(call, 7n))));
    billing = await TestBilling.start(database.url, env);
    await until(async () => (await settled(key.accountId)) === '860', 30_000);
  }, 60_000);
});

test.each([
  [1, {}, { replicationFactor: 1, minInsyncReplicas: 1 }],
  [2, {}, { replicationFactor: 2, minInsyncReplicas: 1 }],
  [3, {}, { replicationFactor: 3, minInsyncReplicas: 2 }],
  [9, {}, { replicationFactor: 3, minInsyncReplicas: 2 }],
  [9, { replicationFactor: 5, minInsyncReplicas: 3 }, { replicationFactor: 5, minInsyncReplicas: 3 }],
])('topics of %d brokers with settings %j are replicated as %j', (brokers, settings, expected) => {
  expect(replicationFor(brokers, settings)).toEqual(expected);
});

test('without a broker the service works, and the consumer can be stopped', async () => {
  const ups: boolean[] = [];
  const consumer = new UsageConsumer({
    // A port without a listener.
    connection: { brokers: ['127.0.0.1:1'], topicPrefix: '' },
    replication: {},
    log: createLogger('test', 'silent'),
    settle: async () => [],
    onUp: (up) => ups.push(up),
    onWeakTopics: () => {},
  });
  await until(() => ups.length >= 2, 20_000);
  await consumer.stop();
  expect(ups).not.toContain(true);
}, 30_000);
