import { runSql } from '@gateway/testing';

/**
 * Disables database notifications, so that tests show what does not depend on them. All connections are reset, so the
 * services need a moment.
 */
export async function muteNotifications(databaseUrl: string): Promise<void> {
  await runSql(
    databaseUrl,
    `CREATE SCHEMA mute;
     GRANT USAGE ON SCHEMA mute TO PUBLIC;
     CREATE FUNCTION mute.pg_notify(text, text) RETURNS void LANGUAGE sql AS '';
     DO $$ BEGIN
       EXECUTE format('ALTER DATABASE %I SET search_path = mute, pg_catalog, public', current_database());
     END $$;
     SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
}
