import type { Logger } from '@gateway/process';
import type { Admin, Kafka } from 'kafkajs';

export interface UsageTopics {
  readonly usage: string;
  readonly dead: string;
}

export const usageTopics = (prefix: string): UsageTopics => ({
  usage: `${prefix}usage.v1`,
  dead: `${prefix}usage.v1.dead`,
});

/** How a topic should be replicated; absent figures follow from the number of brokers. */
export interface TopicReplication {
  readonly replicationFactor?: number | undefined;
  readonly minInsyncReplicas?: number | undefined;
}

type Replication = { readonly [name in keyof TopicReplication]-?: number };

const USAGE_PARTITIONS = 8;
const MIN_INSYNC_REPLICAS = 'min.insync.replicas';
/** `ConfigResourceTypes.TOPIC`, without an import of kafkajs. */
const TOPIC = 2;

/** Two replicas with `min.insync.replicas` 2 would accept no event while one of them restarts. */
export function replicationFor(
  brokers: number,
  { replicationFactor, minInsyncReplicas }: TopicReplication,
): Replication {
  const replicas = replicationFactor ?? Math.min(3, brokers);
  return { replicationFactor: replicas, minInsyncReplicas: minInsyncReplicas ?? (replicas >= 3 ? 2 : 1) };
}

export interface TopicOptions {
  readonly replication: TopicReplication;
  /** How many are configured. */
  readonly brokers: number;
  readonly log: Logger;
  /** Receives the number of topics that are replicated less than they should be. Absent: they are not checked. */
  readonly onWeakTopics?: ((topics: number) => void) | undefined;
}

/** Creates the missing topics. Existing ones are not changed; those that are replicated less than they should be are logged. */
export async function ensureTopics(
  kafka: Kafka,
  topics: UsageTopics,
  { replication, brokers, log, onWeakTopics }: TopicOptions,
): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const cluster = await admin.describeCluster();
    // A broker that is down must not make the topics of a new cluster weaker: creating them fails until it is back.
    const wanted = replicationFor(Math.max(brokers, cluster.brokers.length), replication);
    const existing = await admin.listTopics();
    const created = [
      { topic: topics.usage, numPartitions: USAGE_PARTITIONS },
      { topic: topics.dead, numPartitions: 1 },
    ].filter(({ topic }) => !existing.includes(topic));
    if (created.length > 0) await createTopics(admin, created, wanted);
    if (!onWeakTopics) return;
    const kept = [topics.usage, topics.dead].filter((topic) => existing.includes(topic));
    onWeakTopics(await countWeakTopics(admin, kept, wanted, log));
  } finally {
    await admin.disconnect();
  }
}

async function createTopics(
  admin: Admin,
  topics: readonly { topic: string; numPartitions: number }[],
  { replicationFactor, minInsyncReplicas }: Replication,
): Promise<void> {
  const configEntries = [{ name: MIN_INSYNC_REPLICAS, value: String(minInsyncReplicas) }];
  await admin.createTopics({
    waitForLeaders: true,
    topics: topics.map((topic) => ({ ...topic, replicationFactor, configEntries })),
  });
}

async function countWeakTopics(
  admin: Admin,
  topics: readonly string[],
  wanted: Replication,
  log: Logger,
): Promise<number> {
  if (topics.length === 0) return 0;
  const metadata = await admin.fetchTopicMetadata({ topics: [...topics] });
  const minimums = await readMinInsyncReplicas(admin, topics, log);
  let weak = 0;
  for (const { name: topic, partitions } of metadata.topics) {
    const replicationFactor = Math.min(...partitions.map(({ replicas }) => replicas.length));
    const minInsyncReplicas = minimums.get(topic);
    if (
      replicationFactor >= wanted.replicationFactor &&
      (minInsyncReplicas === undefined || minInsyncReplicas >= wanted.minInsyncReplicas)
    )
      continue;
    weak += 1;
    log.warn({ topic, replicationFactor, minInsyncReplicas, wanted }, 'kafka topic is replicated too little');
  }
  return weak;
}

/** Without the permission to describe configurations, the figures are unknown. */
async function readMinInsyncReplicas(
  admin: Admin,
  topics: readonly string[],
  log: Logger,
): Promise<ReadonlyMap<string, number>> {
  try {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: topics.map((name) => ({
        type: TOPIC,
        name,
        configNames: [MIN_INSYNC_REPLICAS],
      })),
    });
    return new Map(
      resources.flatMap(({ resourceName, configEntries }) =>
        configEntries
          .filter(({ configName }) => configName === MIN_INSYNC_REPLICAS)
          .map(({ configValue }) => [resourceName, Number(configValue)] as const),
      ),
    );
  } catch (error) {
    log.warn({ err: error }, 'min.insync.replicas of the kafka topics is not known');
    return new Map();
  }
}
