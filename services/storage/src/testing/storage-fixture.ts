import { randomBytes } from 'node:crypto';
import { createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { type KeyEncryptionKeys, parseKeyEncryptionKeys } from '@gateway/secrets';
import { createServiceDatabase, createTestDatabase } from '@gateway/testing';
import { type BackgroundBounds, BackgroundCalls } from '../responses/store/background-calls';
import { Responses } from '../responses/store/responses';

export const newKey = (): string => randomBytes(32).toString('base64');

export interface StorageFixture {
  /** With the login of the service. */
  readonly pool: Pool;
  /** With the login of the owner. */
  readonly owner: Pool;
  responses(keys?: KeyEncryptionKeys): Responses;
  backgroundCalls(bounds?: Partial<BackgroundBounds>, keys?: KeyEncryptionKeys): BackgroundCalls;
  cleanUp(): Promise<void>;
}

/** A database with the tables of the service. */
export async function createStorageFixture(): Promise<StorageFixture> {
  const log = createLogger('storage-test', 'silent');
  const database = await createTestDatabase();
  const pool = createPool({ url: await createServiceDatabase('storage', database.url), log });
  const owner = createPool({ url: database.url, log, maxConnections: 1 });
  const ownKeys = parseKeyEncryptionKeys(newKey());
  return {
    pool,
    owner,
    responses: (keys = ownKeys) => new Responses(pool, keys, 30),
    backgroundCalls: (bounds = {}, keys = ownKeys) =>
      new BackgroundCalls(pool, keys, { retentionDays: 30, maxOpen: 10, startTimeoutMs: 60_000, ...bounds }),
    async cleanUp() {
      await pool.end();
      await owner.end();
      await database.drop();
    },
  };
}
