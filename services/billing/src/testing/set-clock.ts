import type { Pool } from '@gateway/postgres';

/** Stops the clock that windows, expiry and partitions go by; `now()` starts it again. The pool is the owner's. */
export async function setClock(owner: Pool, at: string): Promise<void> {
  const time = at === 'now()' ? at : `'${at}'::timestamptz`;
  await owner.query(
    `CREATE OR REPLACE FUNCTION billing.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
     AS $$ SELECT ${time} $$`,
  );
}
