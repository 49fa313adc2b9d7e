import { randomBytes } from 'node:crypto';
import { type EngineAddresses, startEmbeddedRedisProcess } from '@gateway/local-stack';
import { createEmptyDatabase } from '@gateway/testing';
import { Kafka, logLevel } from 'kafkajs';

/** `real` uses the servers in TEST_DATABASE_URL, TEST_REDIS_URL and TEST_KAFKA_BROKERS. */
export const ENGINES: 'embedded' | 'real' = process.env.ENGINES === 'real' ? 'real' : 'embedded';

export interface EngineSet {
  readonly addresses: EngineAddresses;
  readonly kafkaTopicPrefix: string;
  /** Deletes everything that was created on shared servers. */
  remove(): Promise<void>;
}

/** Creates a database and topics for one test file on the engines of this run. */
export async function createEngineSet(): Promise<EngineSet> {
  const name = `system_${randomBytes(6).toString('hex')}`;
  if (ENGINES === 'embedded') return createEmbeddedSet(name);
  const kafkaBrokers = required('TEST_KAFKA_BROKERS');
  const kafkaTopicPrefix = `${name}.`;
  const database = await createEmptyDatabase(required('TEST_DATABASE_URL'), name);
  return {
    addresses: { databaseUrl: database.url, redisUrl: required('TEST_REDIS_URL'), kafkaBrokers },
    kafkaTopicPrefix,
    async remove() {
      await database.drop();
      await deleteTopics(kafkaBrokers, kafkaTopicPrefix);
    },
  };
}

/** Redis runs in its own process, because it cannot run scripts in jest's sandbox. */
async function createEmbeddedSet(name: string): Promise<EngineSet> {
  const serverUrl = embeddedServerUrl();
  const database = serverUrl === undefined ? undefined : await createEmptyDatabase(serverUrl, name);
  const redis = await startEmbeddedRedisProcess();
  return {
    addresses: { redisUrl: redis.url, databaseUrl: database?.url },
    kafkaTopicPrefix: '',
    async remove() {
      await redis.stop();
      await database?.drop();
    },
  };
}

/** The embedded PostgreSQL of this worker. Without it the stack starts its own, whose data can be kept. */
function embeddedServerUrl(): string | undefined {
  if (process.env.TEST_KEEP_DATA) return undefined;
  const urls = process.env.EMBEDDED_DATABASE_URLS?.split(' ') ?? [];
  return urls[(Number(process.env.JEST_WORKER_ID ?? 1) - 1) % urls.length];
}

function required(setting: string): string {
  const value = process.env[setting];
  if (!value) throw new Error(`ENGINES=real needs ${setting}`);
  return value;
}

async function deleteTopics(brokers: string, prefix: string): Promise<void> {
  const admin = new Kafka({
    clientId: 'tests',
    brokers: brokers.split(','),
    logLevel: logLevel.NOTHING,
  }).admin();
  await admin.connect();
  try {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
    if (topics.length > 0) await admin.deleteTopics({ topics });
    const { groups } = await admin.listGroups();
    const mine = groups.map(({ groupId }) => groupId).filter((id) => id.startsWith(prefix));
    // Kafka may still count members of a group that have just left; the empty group expires by itself.
    if (mine.length > 0) await admin.deleteGroups(mine).catch(() => {});
  } finally {
    await admin.disconnect();
  }
}
