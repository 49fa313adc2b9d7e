import { setTimeout as sleep } from 'node:timers/promises';
import { createKafka, type KafkaConnection } from '@gateway/kafka';
import type { Logger } from '@gateway/process';
import type { Admin, KafkaMessage } from 'kafkajs';
import { kafkaLog } from './kafka-log';
import { usageTopics } from './usage-topics';

/** Without a message for this time the brokers are considered lost. */
const QUIET_MS = 60_000;
const CHECK_INTERVAL_MS = 200;

export interface ReadTopicOptions {
  readonly connection: KafkaConnection;
  readonly sinceMs: number;
  readonly log: Logger;
  /** Receives messages of one partition, in order. A rejection ends the reading. */
  onMessages(messages: readonly KafkaMessage[]): Promise<void>;
}

interface Range {
  next: bigint;
  readonly end: bigint;
}

/**
 * Reads the usage topic from a time to its end at the start of the call, in a consumer group of its own: the offsets of billing's
 * group are neither read nor changed.
 */
export async function readTopicSince(options: ReadTopicOptions): Promise<void> {
  const { connection, log, onMessages } = options;
  const { topicPrefix } = connection;
  const { logLevel } = await import('kafkajs');
  const kafka = await createKafka(connection, {
    clientId: 'billing-replay',
    logLevel: logLevel.WARN,
    logCreator: kafkaLog(log),
  });
  const topic = usageTopics(topicPrefix).usage;
  const groupId = `${topicPrefix}billing-replay`;
  const admin = kafka.admin();
  const consumer = kafka.consumer({ groupId, retry: { restartOnFailure: async () => false } });
  let failure: unknown;
  let readAtMs = performance.now();
  await admin.connect();
  try {
    const ranges = await findRanges(admin, topic, options);
    const isRead = () => [...ranges.values()].every(({ next, end }) => next >= end);
    const starts = [...ranges].map(([partition, { next }]) => ({ partition, offset: String(next) }));
    await admin.setOffsets({ groupId, topic, partitions: starts });
    await consumer.connect();
    await consumer.subscribe({ topics: [topic] });
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      failure ??= payload.error;
    });
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch: { partition, messages }, heartbeat }) => {
        const range = ranges.get(partition);
        if (!range || messages.length === 0) return;
        try {
          await onMessages(messages.filter(({ offset }) => BigInt(offset) < range.end));
        } catch (error) {
          failure ??= error;
          throw error;
        }
        range.next = BigInt(messages.at(-1)!.offset) + 1n;
        readAtMs = performance.now();
        await heartbeat();
      },
    });
    while (!isRead() && failure === undefined && performance.now() - readAtMs < QUIET_MS)
      await sleep(CHECK_INTERVAL_MS);
    if (failure !== undefined) throw failure;
    if (!isRead()) throw new Error(`no messages of ${topic} for ${QUIET_MS} ms`);
  } finally {
    await consumer.disconnect().catch(() => {});
    await admin.deleteGroups([groupId]).catch(() => {});
    await admin.disconnect();
  }
}

/** Returns what has to be read of each partition. */
async function findRanges(
  admin: Admin,
  topic: string,
  { sinceMs, log }: ReadTopicOptions,
): Promise<Map<number, Range>> {
  const starts = await admin.fetchTopicOffsetsByTimestamp(topic, sinceMs);
  const startOf = new Map(starts.map(({ partition, offset }) => [partition, BigInt(offset)]));
  const ranges = new Map<number, Range>();
  for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
    const end = BigInt(high);
    const next = startOf.get(partition) ?? end;
    if (next === BigInt(low) && next > 0n)
      log.warn({ topic, partition, offset: low }, 'Kafka has deleted earlier events: some may be missing');
    ranges.set(partition, { next, end });
  }
  return ranges;
}
