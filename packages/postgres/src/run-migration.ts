import { ConfigError, createLogger, processSettings, readConfig, z } from '@gateway/process';
import { migrateService } from './migrate';

const settings = {
  LOG_LEVEL: processSettings.LOG_LEVEL,
  /** Of the owner of the tables. */
  MIGRATION_DATABASE_URL: z.string().min(1),
  /** As the service has it: whom to grant what the service needs. */
  DATABASE_URL: z.string().min(1),
};

/** The life of a service's migration job: it runs to its end before a new version of the service starts. */
export async function runMigration(
  schema: string,
  directory: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const log = createLogger(`${schema}-migrate`, env.LOG_LEVEL ?? 'info');
  try {
    const config = readConfig(settings, env);
    await migrateService({
      ownerUrl: config.MIGRATION_DATABASE_URL,
      serviceUrl: config.DATABASE_URL,
      schema,
      directory,
      log,
    });
    log.info({ schema }, 'up to date');
  } catch (error) {
    process.exitCode = error instanceof ConfigError ? 2 : 1;
    if (error instanceof ConfigError) process.stderr.write(`${schema}-migrate: ${error.message}\n`);
    else log.fatal({ err: error }, 'migration failed');
  }
}
