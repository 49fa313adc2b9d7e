import type { Logger } from '@gateway/process';
import type { Kafka, Producer } from 'kafkajs';
import type { UsageDelivery } from './usage-delivery';
import type { UsageEvent } from './usage-event';

export interface KafkaDeliveryOptions {
  /** The client id in the brokers' logs, e.g. `gateway-chat`. */
  readonly clientId: string;
  readonly brokers: readonly string[];
  /** Topic prefix, so that several gateways can share a cluster; may be empty. */
  readonly topicPrefix: string;
  readonly log: Logger;
}

const SEND_TIMEOUT_MS = 10_000;

/**
 * Delivers usage events to the topic `usage.v1`, keyed by account so that an account's events stay in order. The
 * producer is not idempotent: kafkajs's idempotent producer can lose an acknowledged message under concurrent sends, and
 * settlement is idempotent anyway. A failed producer is replaced, because kafkajs may retry on the dead connection.
 */
export function kafkaDelivery(options: KafkaDeliveryOptions): UsageDelivery {
  const topic = `${options.topicPrefix}usage.v1`;
  let kafka: Kafka | undefined;
  let producer: Producer | undefined;

  async function connected(): Promise<Producer> {
    if (producer) return producer;
    kafka ??= await createKafka(options);
    const fresh = kafka.producer({ idempotent: false, allowAutoTopicCreation: false });
    await fresh.connect();
    producer = fresh;
    return fresh;
  }

  function discard(): void {
    const broken = producer;
    producer = undefined;
    broken?.disconnect().catch(() => {});
  }

  return {
    async deliver(events) {
      try {
        const current = await connected();
        await withDeadline(current.send({ topic, acks: -1, messages: events.map(toMessage) }));
      } catch (error) {
        discard();
        throw error;
      }
    },
    async close() {
      await producer?.disconnect().catch(() => {});
    },
  };
}

/** Imports kafkajs on first use, which saves load time and memory in a gateway without Kafka. */
async function createKafka({ clientId, brokers, log }: KafkaDeliveryOptions): Promise<Kafka> {
  const kafkajs = await import('kafkajs');
  return new kafkajs.Kafka({
    clientId,
    brokers: [...brokers],
    connectionTimeout: 3_000,
    requestTimeout: 5_000,
    retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 },
    logLevel: kafkajs.logLevel.ERROR,
    logCreator: () => (entry) => log.warn({ kafka: entry.log.message }, 'kafka client'),
  });
}

function toMessage(event: UsageEvent) {
  return { key: event.accountId, value: JSON.stringify(event) };
}

function withDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('kafka did not acknowledge in time')), SEND_TIMEOUT_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
