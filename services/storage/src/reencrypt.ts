import { createPool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { reencryptBatches } from './batches/store/reencrypt-batches';
import { reencryptFiles } from './files/store/reencrypt-files';
import { reencryptBackgroundCalls } from './responses/store/reencrypt-background-calls';
import { reencryptResponses } from './responses/store/reencrypt-responses';
import { readSettings } from './settings';

/** Run with the settings of the service after a new key was put first in STORAGE_KEY. */
async function main(): Promise<void> {
  const { DATABASE_URL, STORAGE_KEY, LOG_LEVEL } = readSettings(process.env);
  const log = createLogger('storage', LOG_LEVEL);
  const pool = createPool({ url: DATABASE_URL, log, maxConnections: 1 });
  try {
    log.info({ responses: await reencryptResponses(pool, STORAGE_KEY) }, 'responses re-encrypted');
    log.info({ calls: await reencryptBackgroundCalls(pool, STORAGE_KEY) }, 'background calls re-encrypted');
    log.info({ files: await reencryptFiles(pool, STORAGE_KEY) }, 'files re-encrypted');
    log.info({ batches: await reencryptBatches(pool, STORAGE_KEY) }, 'batches re-encrypted');
  } finally {
    await pool.end();
  }
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
