import { randomBytes } from 'node:crypto';
import { createEmptyDatabase } from './empty-database';
import { startScratchPostgres } from './scratch-postgres';

export interface TestDatabase {
  /** Connection string of a new, empty database. */
  url: string;
  /** Drops the database; the last one of a test file stops the server that was started for the file. */
  drop(): Promise<void>;
}

interface Server {
  url: string;
  stop(): Promise<void>;
}

let server: Promise<Server> | undefined;
let databases = 0;

/**
 * Creates a database on the server of `TEST_DATABASE_URL` (whose user must be allowed to create databases), else on the
 * server that `npm test` has started for all tests, else on a server that is started for this test file.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  databases += 1;
  server ??= findServer();
  const { url: serverUrl, stop } = await server;
  const database = await createEmptyDatabase(serverUrl, `test_${randomBytes(8).toString('hex')}`);
  let dropped: Promise<void> | undefined;
  const drop = async () => {
    await database.drop();
    databases -= 1;
    if (databases > 0) return;
    server = undefined;
    await stop();
  };
  return {
    url: database.url,
    drop: () => {
      dropped ??= drop();
      return dropped;
    },
  };
}

async function findServer(): Promise<Server> {
  const given = process.env.TEST_DATABASE_URL ?? process.env.UNIT_DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  return startScratchPostgres();
}
