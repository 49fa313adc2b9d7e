import { runSql } from '@gateway/testing';

/**
 * From here on no process is told by the database what another one did: what still holds at once does not rest
 * on that. Every connection is made anew, so the services need a moment.
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
