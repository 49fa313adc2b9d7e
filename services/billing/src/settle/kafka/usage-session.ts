import { createKafka, type KafkaConnection } from '@gateway/kafka';
import type { Logger } from '@gateway/process';
import type { Consumer, EachBatchPayload, Producer } from 'kafkajs';
import { type Delivery, type DeliveryOutcome, deliveryOfJson } from '../rules/delivery';
import { kafkaLog } from './kafka-log';
import { ensureTopics, type TopicReplication, type UsageTopics, usageTopics } from './usage-topics';

export interface UsageConsumerOptions {
  readonly connection: KafkaConnection;
  readonly replication: TopicReplication;
  readonly log: Logger;
  /** Resolves when every delivery is durably settled or stored as a dead letter. */
  settle(deliveries: readonly Delivery[]): Promise<readonly DeliveryOutcome[]>;
  onUp(up: boolean): void;
  /** Receives the number of topics that are replicated less than they should be. */
  onWeakTopics(topics: number): void;
}

/** Messages that are settled before their offset is committed. */
const SLICE = 256;
const PARTITIONS_AT_ONCE = 4;
/** A consumer that has neither fetched nor sent a heartbeat for this time is considered stuck. */
const QUIET_MS = 45_000;
const WATCH_INTERVAL_MS = 1_000;
const END_TIMEOUT_MS = 5_000;
/** `logLevel.WARN`, without an import of kafkajs. */
const WARNINGS = 2;

/** One session of the consumer, from connecting to its end. */
export class UsageSession {
  readonly #options: UsageConsumerOptions;
  readonly #checksTopics: boolean;
  readonly #topics: UsageTopics;
  #consumer: Consumer | undefined;
  #producer: Producer | undefined;
  #end!: (reason: string) => void;
  readonly #ended = new Promise<string>((resolve) => {
    this.#end = resolve;
  });
  #hasJoined = false;
  #aliveAtMs = performance.now();

  /** @param checksTopics whether the replication of existing topics is checked, which takes time after a failure */
  constructor(options: UsageConsumerOptions, checksTopics: boolean) {
    this.#options = options;
    this.#checksTopics = checksTopics;
    this.#topics = usageTopics(options.connection.topicPrefix);
  }

  /** Consumes until the session ends; returns the reason. */
  async run(): Promise<string> {
    const watch = setInterval(() => {
      if (performance.now() - this.#aliveAtMs > QUIET_MS) this.#end('quiet');
    }, WATCH_INTERVAL_MS);
    try {
      await this.#start();
      return await this.#ended;
    } catch (error) {
      return `not started: ${error instanceof Error ? error.message : 'unknown'}`;
    } finally {
      clearInterval(watch);
      this.#options.onUp(false);
      await this.#disconnect();
    }
  }

  /** Whether it has been a member of the group. */
  get hasJoined(): boolean {
    return this.#hasJoined;
  }

  end(reason: string): void {
    this.#end(reason);
  }

  async #start(): Promise<void> {
    const { connection, replication, log, onWeakTopics } = this.#options;
    const kafka = await createKafka(connection, {
      clientId: 'billing',
      connectionTimeout: 3_000,
      requestTimeout: 10_000,
      logLevel: WARNINGS,
      logCreator: kafkaLog(log),
      // Few retries: a failed session is replaced as a whole.
      retry: { initialRetryTime: 200, retries: 3 },
    });
    await ensureTopics(kafka, this.#topics, {
      ...{ replication, log, brokers: connection.brokers.length },
      onWeakTopics: this.#checksTopics ? onWeakTopics : undefined,
    });
    const { Partitioners } = await import('kafkajs');
    const producer = kafka.producer({
      idempotent: false,
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    const consumer = kafka.consumer({
      groupId: `${connection.topicPrefix}billing`,
      // The least that brokers accept by default: a new session waits for the former member, which can't leave if its coordinator
      // is down.
      sessionTimeout: 6_000,
      heartbeatInterval: 1_500,
      rebalanceTimeout: 6_000,
      maxWaitTimeInMs: 250,
      retry: { initialRetryTime: 200, retries: 3, restartOnFailure: async () => false },
    });
    this.#producer = producer;
    this.#consumer = consumer;
    this.#watch(consumer);
    await producer.connect();
    await consumer.connect();
    await consumer.subscribe({ topics: [this.#topics.usage], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
      eachBatch: (payload) => this.#settleBatch(consumer, producer, payload),
    });
  }

  #watch(consumer: Consumer): void {
    const { events } = consumer;
    const alive = () => {
      this.#aliveAtMs = performance.now();
    };
    consumer.on(events.HEARTBEAT, alive);
    consumer.on(events.FETCH, alive);
    consumer.on(events.GROUP_JOIN, () => {
      this.#hasJoined = true;
      this.#options.onUp(true);
    });
    consumer.on(events.CRASH, ({ payload }) => this.#end(`crashed: ${payload.error.message}`));
    consumer.on(events.STOP, () => this.#end('stopped'));
  }

  /** Offsets are committed after the database: events delivered twice are settled once. */
  async #settleBatch(
    consumer: Consumer,
    producer: Producer,
    { batch, heartbeat, isRunning, isStale, resolveOffset }: EachBatchPayload,
  ) {
    const { topic, partition, messages } = batch;
    for (let at = 0; at < messages.length && isRunning() && !isStale(); at += SLICE) {
      const slice = messages.slice(at, at + SLICE);
      const deliveries = slice.map(({ value }) => deliveryOfJson(value));
      const outcomes = await this.#options.settle(deliveries);
      await this.#publishDead(producer, deliveries, outcomes);
      const last = slice.at(-1)!;
      resolveOffset(last.offset);
      await consumer.commitOffsets([{ topic, partition, offset: String(BigInt(last.offset) + 1n) }]);
      await heartbeat();
    }
  }

  async #publishDead(
    producer: Producer,
    deliveries: readonly Delivery[],
    outcomes: readonly DeliveryOutcome[],
  ): Promise<void> {
    const messages = deliveries.flatMap((delivery, i) => {
      const outcome = outcomes[i];
      return outcome?.kind === 'dead'
        ? [{ value: delivery.payload(), headers: { reason: outcome.reason } }]
        : [];
    });
    if (messages.length > 0) await producer.send({ topic: this.#topics.dead, acks: -1, messages });
  }

  /** Leaves the group. An unreachable broker must not delay the next session. */
  async #disconnect(): Promise<void> {
    const late = new Promise<void>((resolve) => setTimeout(resolve, END_TIMEOUT_MS).unref());
    const disconnected = Promise.allSettled([this.#consumer?.disconnect(), this.#producer?.disconnect()]);
    await Promise.race([disconnected, late]);
  }
}
