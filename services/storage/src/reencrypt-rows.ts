import { type Pool, type PoolClient, withTransaction } from '@gateway/postgres';

/** How the rows of a table are encrypted with another key. */
export interface RowsToReencrypt<Row> {
  /** Returns the next rows by id, locked if anything else changes what is encrypted; none at the end. */
  next(client: PoolClient, afterId: string): Promise<readonly Row[]>;
  /** Returns whether the row has changed. */
  reencrypt(client: PoolClient, row: Row): Promise<boolean>;
}

/** Encrypts all rows, a batch at a time. Returns the number of changed rows. May be repeated after an interruption. */
export async function reencryptRows<Row extends { readonly id: string }>(
  pool: Pool,
  { next, reencrypt }: RowsToReencrypt<Row>,
): Promise<number> {
  let changed = 0;
  let after = '';
  for (;;) {
    const batch = await withTransaction(pool, async (client) => {
      const rows = await next(client, after);
      for (const row of rows) if (await reencrypt(client, row)) changed += 1;
      return rows;
    });
    const last = batch.at(-1);
    if (!last) return changed;
    after = last.id;
  }
}
