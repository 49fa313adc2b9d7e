import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EngineAddresses, startEmbeddedRedisProcess } from '@gateway/local-stack';
import { createEmptyDatabase } from '@gateway/testing';
import { Kafka, logLevel } from 'kafkajs';

/** `real` uses the servers of `realEngines`. */
export const ENGINES: 'embedded' | 'real' = process.env.ENGINES === 'real' ? 'real' : 'embedded';

/** Servers that only one test file uses at a time. */
export interface RealEngines {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly kafkaBrokers: string;
  /** Folder in which `real-engines.mjs` runs them; undefined if something else does. */
  readonly dir: string | undefined;
}

/**
 * Returns the real engines of this worker: those in its folder of TEST_ENGINES_DIRS, or those in TEST_DATABASE_URL, TEST_REDIS_URL and
 * TEST_KAFKA_BROKERS.
 */
export function realEngines(): RealEngines {
  const dir = ofThisWorker(process.env.TEST_ENGINES_DIRS);
  if (dir !== undefined) {
    const env = readFileSync(join(dir, 'env'), 'utf8');
    const read = (name: string) =>
      required(`${name} in ${dir}`, new RegExp(`^export ${name}='(.*)'$`, 'm').exec(env)?.[1]);
    return {
      databaseUrl: read('DATABASE_URL'),
      redisUrl: read('REDIS_URL'),
      kafkaBrokers: read('KAFKA_BROKERS'),
      dir,
    };
  }
  const read = (name: string) => required(name, process.env[name]);
  return {
    databaseUrl: read('TEST_DATABASE_URL'),
    redisUrl: read('TEST_REDIS_URL'),
    kafkaBrokers: read('TEST_KAFKA_BROKERS'),
    dir: process.env.ENGINES_DIR,
  };
}

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
  const { databaseUrl, redisUrl, kafkaBrokers } = realEngines();
  const kafkaTopicPrefix = `${name}.`;
  const database = await createEmptyDatabase(databaseUrl, name);
  return {
    addresses: { databaseUrl: database.url, redisUrl, kafkaBrokers },
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
  return ofThisWorker(process.env.EMBEDDED_DATABASE_URLS);
}

/** Returns this worker's element of a list separated by spaces. */
function ofThisWorker(list: string | undefined): string | undefined {
  const all = list?.split(' ') ?? [];
  return all[(Number(process.env.JEST_WORKER_ID ?? 1) - 1) % all.length];
}

function required(name: string, value: string | undefined): string {
  if (!value) throw new Error(`ENGINES=real needs ${name}`);
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
