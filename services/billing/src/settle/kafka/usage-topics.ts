import type { Kafka } from 'kafkajs';

export interface UsageTopics {
  readonly usage: string;
  readonly dead: string;
}

export const usageTopics = (prefix: string): UsageTopics => ({
  usage: `${prefix}usage.v1`,
  dead: `${prefix}usage.v1.dead`,
});

const USAGE_PARTITIONS = 8;

/** Creates the missing topics; owners may have created them first. */
export async function ensureTopics(kafka: Kafka, topics: UsageTopics): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const existing = await admin.listTopics();
    const missing = [
      { topic: topics.usage, numPartitions: USAGE_PARTITIONS },
      { topic: topics.dead, numPartitions: 1 },
    ].filter(({ topic }) => !existing.includes(topic));
    if (missing.length > 0) await admin.createTopics({ waitForLeaders: true, topics: missing });
  } finally {
    await admin.disconnect();
  }
}
