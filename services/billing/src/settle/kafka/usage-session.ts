import type { Logger } from '@gateway/process';
import type { Consumer, EachBatchPayload, Kafka, Producer } from 'kafkajs';
import { type Delivery, type DeliveryOutcome, deliveryOfJson } from '../rules/delivery';
import { kafkaLog } from './kafka-log';
import { ensureTopics, type UsageTopics, usageTopics } from './usage-topics';

export interface UsageConsumerOptions {
  readonly brokers: readonly string[];
  readonly topicPrefix: string;
  readonly log: Logger;
  /** Resolves when every delivery is durably settled or stored as a dead letter. */
  settle(deliveries: readonly Delivery[]): Promise<readonly DeliveryOutcome[]>;
  onUp(up: boolean): void;
}

/** Messages that are settled before their offset is committed. */
const SLICE = 256;
const PARTITIONS_AT_ONCE = 4;
/** A consumer that has neither fetched nor sent a heartbeat for this time is considered stuck. */
const QUIET_MS = 45_000;
const WATCH_INTERVAL_MS = 1_000;
const END_TIMEOUT_MS = 5_000;

/** One session of the consumer, from connecting to its end. */
export class UsageSession {
  readonly #options: UsageConsumerOptions;
  readonly #topics: UsageTopics;
  readonly #kafka: Kafka;
  readonly #consumer: Consumer;
  readonly #producer: Producer;
  #end!: (reason: string) => void;
  readonly #ended = new Promise<string>((resolve) => {
    this.#end = resolve;
  });
  #aliveAtMs = performance.now();

  constructor(options: UsageConsumerOptions, kafkajs: typeof import('kafkajs')) {
    this.#options = options;
    this.#topics = usageTopics(options.topicPrefix);
    this.#kafka = new kafkajs.Kafka({
      clientId: 'billing',
      brokers: [...options.brokers],
      connectionTimeout: 3_000,
      requestTimeout: 10_000,
      logLevel: kafkajs.logLevel.WARN,
      logCreator: kafkaLog(options.log),
      // Few retries: a failed session is replaced as a whole.
      retry: { initialRetryTime: 200, retries: 3 },
    });
    this.#consumer = this.#kafka.consumer({
      groupId: `${options.topicPrefix}billing`,
      sessionTimeout: 10_000,
      heartbeatInterval: 2_000,
      rebalanceTimeout: 10_000,
      maxWaitTimeInMs: 250,
      retry: { initialRetryTime: 200, retries: 3, restartOnFailure: async () => false },
    });
    this.#producer = this.#kafka.producer({
      idempotent: false,
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    });
  }

  /** Consumes until the session ends; returns the reason. */
  async run(): Promise<string> {
    const { events } = this.#consumer;
    const alive = () => {
      this.#aliveAtMs = performance.now();
    };
    this.#consumer.on(events.HEARTBEAT, alive);
    this.#consumer.on(events.FETCH, alive);
    this.#consumer.on(events.GROUP_JOIN, () => this.#options.onUp(true));
    this.#consumer.on(events.CRASH, ({ payload }) => this.#end(`crashed: ${payload.error.message}`));
    this.#consumer.on(events.STOP, () => this.#end('stopped'));
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

  end(reason: string): void {
    this.#end(reason);
  }

  async #start(): Promise<void> {
    await ensureTopics(this.#kafka, this.#topics);
    await this.#producer.connect();
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: [this.#topics.usage], fromBeginning: true });
    await this.#consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
      eachBatch: (payload) => this.#settleBatch(payload),
    });
  }

  /** Offsets are committed after the database: events delivered twice are settled once. */
  async #settleBatch({ batch, heartbeat, isRunning, isStale, resolveOffset }: EachBatchPayload) {
    const { topic, partition, messages } = batch;
    for (let at = 0; at < messages.length && isRunning() && !isStale(); at += SLICE) {
      const slice = messages.slice(at, at + SLICE);
      const deliveries = slice.map(({ value }) => deliveryOfJson(value));
      const outcomes = await this.#options.settle(deliveries);
      await this.#publishDead(deliveries, outcomes);
      const last = slice.at(-1)!;
      resolveOffset(last.offset);
      await this.#consumer.commitOffsets([{ topic, partition, offset: String(BigInt(last.offset) + 1n) }]);
      await heartbeat();
    }
  }

  async #publishDead(deliveries: readonly Delivery[], outcomes: readonly DeliveryOutcome[]): Promise<void> {
    const messages = deliveries.flatMap((delivery, i) => {
      const outcome = outcomes[i];
      return outcome?.kind === 'dead'
        ? [{ value: delivery.payload(), headers: { reason: outcome.reason } }]
        : [];
    });
    if (messages.length > 0) await this.#producer.send({ topic: this.#topics.dead, acks: -1, messages });
  }

  /** Leaves the group. An unreachable broker must not delay the next session. */
  async #disconnect(): Promise<void> {
    const late = new Promise<void>((resolve) => setTimeout(resolve, END_TIMEOUT_MS).unref());
    const disconnected = Promise.allSettled([this.#consumer.disconnect(), this.#producer.disconnect()]);
    await Promise.race([disconnected, late]);
  }
}
