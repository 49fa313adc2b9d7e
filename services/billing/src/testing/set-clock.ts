import type { Pool } from '@gateway/postgres';

/** Stops the clock of windows, expiry and partitions at a time; `now()` restarts it. Needs the owner's pool. */
export async function setClock(owner: Pool, at: string): Promise<void> {
  const time = at === 'now()' ? at : `'${at}'::timestamptz`;
  await owner.query(
    `CREATE OR REPLACE FUNCTION billing.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
     AS $$ SELECT ${time} $$`,
  );
}
