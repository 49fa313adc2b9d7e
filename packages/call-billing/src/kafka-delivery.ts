import { createKafka, type KafkaConnection } from '@gateway/kafka';
import type { Logger } from '@gateway/process';
import type { Producer } from 'kafkajs';
import type { UsageDelivery } from './usage-delivery';
import type { UsageEvent } from './usage-event';

export interface KafkaDeliveryOptions {
  /** The client id in the brokers' logs, e.g. `gateway-chat`. */
  readonly clientId: string;
  readonly connection: KafkaConnection;
  readonly log: Logger;
}

const SEND_TIMEOUT_MS = 10_000;
/** `logLevel.ERROR`, without an import of kafkajs. */
const ERRORS_ONLY = 1;

/**
 * Delivers usage events to the topic `usage.v1`, keyed by account so that an account's events stay in order. The
 * producer is not idempotent: kafkajs's idempotent producer can lose an acknowledged message under concurrent sends, and
 * settlement is idempotent anyway. A failed producer is replaced, because kafkajs may retry on the dead connection.
 */
export function kafkaDelivery(options: KafkaDeliveryOptions): UsageDelivery {
  const topic = `${options.connection.topicPrefix}usage.v1`;
  let producer: Producer | undefined;

  async function connected(): Promise<Producer> {
    if (producer) return producer;
    const fresh = await createProducer(options);
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

async function createProducer({ clientId, connection, log }: KafkaDeliveryOptions): Promise<Producer> {
  const kafka = await createKafka(connection, {
    clientId,
    connectionTimeout: 3_000,
    requestTimeout: 5_000,
    retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 },
    logLevel: ERRORS_ONLY,
    logCreator: () => (entry) => log.warn({ kafka: entry.log.message }, 'kafka client'),
  });
  return kafka.producer({ idempotent: false, allowAutoTopicCreation: false });
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
