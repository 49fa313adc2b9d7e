import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EngineAddresses, type EngineName, engineControl } from '@gateway/local-stack';
import { createEmptyDatabase } from '@gateway/testing';
import { type ProcessGroup, withChildren } from '../procfs/process-group';

/** Existing servers, with a new database for this run. */
export interface BenchEngines {
  readonly addresses: EngineAddresses;
  readonly postgres: ProcessGroup;
  readonly redis: ProcessGroup;
  /** Deletes the database. */
  remove(): Promise<void>;
}

/** Uses the servers that `real-engines.mjs up --dir` has started; without Kafka, as with embedded engines. */
export async function openEngines(dir: string): Promise<BenchEngines> {
  const serverUrl = readAddress(dir, 'DATABASE_URL');
  const redisUrl = readAddress(dir, 'REDIS_URL');
  const control = engineControl(dir);
  const group = (title: string, name: EngineName) => withChildren(title, () => control.pid(name));
  const database = `bench_${randomBytes(6).toString('hex')}`;
  const { url, drop } = await createEmptyDatabase(serverUrl, database);
  return {
    addresses: { databaseUrl: url, redisUrl },
    postgres: group('PostgreSQL', 'postgres'),
    redis: group('Redis', 'redis'),
    remove: drop,
  };
}

function readAddress(dir: string, setting: string): string {
  const lines = readFileSync(join(dir, 'env'), 'utf8');
  const address = new RegExp(`^export ${setting}='(.+)'$`, 'm').exec(lines)?.[1];
  if (address === undefined) throw new Error(`${dir}/env has no ${setting}`);
  return address;
}
