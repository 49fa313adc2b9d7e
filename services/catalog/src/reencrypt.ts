import { createPool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { readSettings } from './settings';
import { reencryptCredentials } from './store/reencrypt-credentials';

/** Run with the settings of the service after a new key was put first in CREDENTIALS_KEY. */
async function main(): Promise<void> {
  const { DATABASE_URL, CREDENTIALS_KEY, LOG_LEVEL } = readSettings(process.env);
  const log = createLogger('catalog', LOG_LEVEL);
  if (!CREDENTIALS_KEY) throw new Error('CREDENTIALS_KEY is required');
  const pool = createPool({ url: DATABASE_URL, log, maxConnections: 1 });
  try {
    log.info({ credentials: await reencryptCredentials(pool, CREDENTIALS_KEY) }, 'credentials re-encrypted');
  } finally {
    await pool.end();
  }
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
