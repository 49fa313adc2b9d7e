import { createLogger, parseEnv, processSettings, SettingsError, z } from '@gateway/process';
import { migrateService } from './migrate';

const settings = {
  LOG_LEVEL: processSettings.LOG_LEVEL,
  /** Login of the owner of the tables. */
  MIGRATION_DATABASE_URL: z.string().min(1),
  /** The service's login, which receives the privileges. */
  DATABASE_URL: z.string().min(1),
};

/** Runs a service's migration job, which must finish before a new version of the service starts. */
export async function runMigration(
  schema: string,
  directory: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const log = createLogger(`${schema}-migrate`, env.LOG_LEVEL ?? 'info');
  try {
    const config = parseEnv(settings, env);
    await migrateService({
      ownerUrl: config.MIGRATION_DATABASE_URL,
      serviceUrl: config.DATABASE_URL,
      schema,
      directory,
      log,
    });
    log.info({ schema }, 'up to date');
  } catch (error) {
    process.exitCode = error instanceof SettingsError ? 2 : 1;
    if (error instanceof SettingsError) process.stderr.write(`${schema}-migrate: ${error.message}\n`);
    else log.fatal({ err: error }, 'migration failed');
  }
}
